//go:build mpi && cgo && unix

#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static int calls = 0;
static atomic_int taken = 0; // no lock of threads: a goroutine may leave it on another thread than it took it on

int ranks_begin(int *level, int *rank, int *size) {
	int e = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, level);
	if (e == MPI_SUCCESS) e = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (e == MPI_SUCCESS) e = MPI_Comm_rank(MPI_COMM_WORLD, rank);
	if (e == MPI_SUCCESS) e = MPI_Comm_size(MPI_COMM_WORLD, size);
#ifndef __APPLE__
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); // a pause would else be long after a clock is set back
	pthread_cond_init(&called, &attributes);
	pthread_condattr_destroy(&attributes);
#endif
#ifdef __linux__
	prctl(PR_SET_TIMERSLACK, 1000); // nanoseconds: a pause of this thread, which dozes, is as long as it asks for
#endif
	return e;
}

int ranks_serialized(int level) { return level >= MPI_THREAD_SERIALIZED; }

int ranks_gather(void *own, int n, void *all) {
	return MPI_Allgather(own, n, MPI_BYTE, all, n, MPI_BYTE, MPI_COMM_WORLD);
}

int ranks_finish(void) { return MPI_Finalize(); }

void ranks_abandon(void) { MPI_Abort(MPI_COMM_WORLD, 1); }

int ranks_depart(void *buffer, int length, int to, int tag, transfer **out) {
	transfer *t = malloc(sizeof *t);
	*out = t;
	if (t == NULL) return MPI_ERR_NO_MEM;
	t->buffer = buffer;
	t->length = length;
	t->other = to;
	t->tag = tag;
	return MPI_Isend(buffer, length, MPI_BYTE, to, tag, MPI_COMM_WORLD, &t->request);
}

int ranks_arrive(transfer **out) {
	int some = 0, length = 0;
	MPI_Message message;
	MPI_Status status;
	*out = NULL;
	int e = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &some, &message, &status);
	if (e != MPI_SUCCESS || !some) return e;
	e = MPI_Get_count(&status, MPI_BYTE, &length);
	if (e != MPI_SUCCESS) return e;
	transfer *t = malloc(sizeof *t);
	if (t == NULL) return MPI_ERR_NO_MEM;
	t->buffer = malloc(length > 0 ? length : 1);
	if (t->buffer == NULL) {
		free(t);
		return MPI_ERR_NO_MEM;
	}
	t->length = length;
	t->other = status.MPI_SOURCE;
	t->tag = status.MPI_TAG;
	*out = t;
	return MPI_Imrecv(t->buffer, length, MPI_BYTE, &message, &t->request);
}

int ranks_complete(transfer *t, int *done) { return MPI_Test(&t->request, done, MPI_STATUS_IGNORE); }

int ranks_error(int status, char *text) {
	int n = 0;
	MPI_Error_string(status, text, &n);
	return n;
}

int ranks_library(char *text) {
	int n = 0;
	MPI_Get_library_version(text, &n);
	return n;
}

int ranks_take(void) { return !atomic_exchange(&taken, 1); }

void ranks_leave(void) { atomic_store(&taken, 0); }

// doze waits for a call of ranks_rouse, and tells whether there was one.
static int doze(long microseconds) {
	pthread_mutex_lock(&lock);
#ifdef __APPLE__
	struct timespec span = {microseconds / 1000000, microseconds % 1000000 * 1000};
	if (!calls) pthread_cond_timedwait_relative_np(&called, &lock, &span);
#else
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += microseconds * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (!calls && pthread_cond_timedwait(&called, &lock, &until) != ETIMEDOUT) {
	}
#endif
	int was = calls;
	calls = 0;
	pthread_mutex_unlock(&lock);
	return was;
}

void ranks_doze(long pause, long limit) {
	int some = 0;
	for (long waited = 0; waited < limit && !doze(pause); waited += pause) {
		if (!ranks_take()) continue;
		int e = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &some, MPI_STATUS_IGNORE);
		ranks_leave();
		if (e != MPI_SUCCESS || some) return; // an error comes again where it is told
	}
}

void ranks_rouse(void) {
	pthread_mutex_lock(&lock);
	calls = 1;
	pthread_cond_signal(&called);
	pthread_mutex_unlock(&lock);
}

void ranks_yield(void) { sched_yield(); }
