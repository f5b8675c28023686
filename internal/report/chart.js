"use strict";
for (const figure of document.querySelectorAll("figure.drawn")) {
  figure.classList.add("live");
  for (const box of figure.querySelectorAll("input[data-entry]")) {
    const toggle = () => {
      for (const curve of figure.querySelectorAll("g[data-entry='" + box.dataset.entry + "']")) {
        curve.classList.toggle("off", !box.checked);
      }
    };
    box.addEventListener("change", toggle);
    toggle();
  }
  for (const panel of figure.querySelectorAll(".panel")) {
    follow(panel, panel.querySelector("svg.chart"));
  }
}
function follow(panel, svg) {
  const box = svg.viewBox.baseVal;
  const bubble = document.createElement("output");
  bubble.className = "bubble";
  bubble.hidden = true;
  panel.append(bubble);
  const ring = document.createElementNS(svg.namespaceURI, "circle");
  ring.setAttribute("class", "ring off");
  ring.setAttribute("r", "6");
  svg.append(ring);
  let shown = null;
  const points = () => {
    const all = [];
    for (const curve of svg.querySelectorAll("g[data-at]:not(.off)")) {
      const at = curve.dataset.at.split(" ").map(Number);
      curve.dataset.words.split("|").forEach((words, i) => {
        all.push({ curve: curve, x: at[2 * i], y: at[2 * i + 1], words: words });
      });
    }
    return all;
  };
  const show = (point) => {
    shown = point;
    bubble.hidden = !point;
    ring.classList.toggle("off", !point);
    if (!point) {
      return;
    }
    ring.setAttribute("cx", point.x);
    ring.setAttribute("cy", point.y);
    const name = point.curve.dataset.name;
    bubble.textContent = (name ? name + ", " : "") + point.words;
    const room = panel.clientWidth - bubble.offsetWidth;
    const left = svg.offsetLeft || 0;
    const x = left + point.x / box.width * svg.clientWidth - bubble.offsetWidth / 2;
    const place = svg.getBoundingClientRect();
    const y = place.top - panel.getBoundingClientRect().top + point.y / box.height * place.height;
    const above = y - bubble.offsetHeight - 10;
    bubble.style.left = Math.max(0, Math.min(room, x)) + "px";
    bubble.style.top = (above < 0 ? y + 12 : above) + "px";
  };
  const pinned = new Map();
  const pin = () => {
    if (!shown) {
      return;
    }
    const key = shown.x + " " + shown.y;
    if (pinned.has(key)) {
      pinned.get(key).remove();
      pinned.delete(key);
      return;
    }
    const group = document.createElementNS(svg.namespaceURI, "g");
    const circle = document.createElementNS(svg.namespaceURI, "circle");
    circle.setAttribute("class", "ring");
    circle.setAttribute("cx", shown.x);
    circle.setAttribute("cy", shown.y);
    circle.setAttribute("r", "6");
    const text = document.createElementNS(svg.namespaceURI, "text");
    text.setAttribute("class", "marked");
    text.setAttribute("text-anchor", shown.x > box.width / 2 ? "end" : "start");
    text.setAttribute("x", shown.x + (shown.x > box.width / 2 ? -9 : 9));
    text.setAttribute("y", shown.y < 40 ? shown.y + 18 : shown.y - 9);
    text.textContent = shown.words;
    group.append(circle, text);
    svg.append(group);
    pinned.set(key, group);
  };
  svg.addEventListener("click", pin);
  svg.addEventListener("pointermove", (event) => {
    const place = svg.getBoundingClientRect();
    const x = (event.clientX - place.left) / place.width * box.width;
    const y = (event.clientY - place.top) / place.height * box.height;
    let best = null;
    let least = 40 * 40;
    for (const point of points()) {
      const far = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (far < least) {
        best = point;
        least = far;
      }
    }
    show(best);
  });
  svg.addEventListener("pointerleave", () => show(null));
  svg.addEventListener("blur", () => show(null));
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      pin();
      return;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const turn = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      show(null);
    }
    if (!step && !turn) {
      return;
    }
    event.preventDefault();
    const all = points();
    if (all.length === 0) {
      return;
    }
    const at = all.findIndex((p) => shown && p.curve === shown.curve && p.words === shown.words);
    if (at < 0) {
      show(all[0]);
      return;
    }
    if (step) {
      show(all[Math.max(0, Math.min(all.length - 1, at + step))]);
      return;
    }
    const curves = [...new Set(all.map((p) => p.curve))];
    const next = curves[(curves.indexOf(shown.curve) + turn + curves.length) % curves.length];
    const there = all.filter((p) => p.curve === next);
    show(there.reduce((a, b) => (Math.abs(b.x - shown.x) < Math.abs(a.x - shown.x) ? b : a)));
  });
}
