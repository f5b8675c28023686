package chain

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// remote are file systems whose disk or locks may be on another machine, by the numbers of statfs.
var remote = map[uint32]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.V9FS_MAGIC: "9P", unix.FUSE_SUPER_MAGIC: "FUSE", unix.AFS_SUPER_MAGIC: "AFS", unix.AFS_FS_MAGIC: "AFS",
	unix.CODA_SUPER_MAGIC: "Coda", unix.NCP_SUPER_MAGIC: "NCP", unix.CEPH_SUPER_MAGIC: "Ceph", unix.OCFS2_SUPER_MAGIC: "OCFS2",
	0x01161970: "GFS2", 0x0bd00bd0: "Lustre", 0x19830326: "BeeGFS", 0x47504653: "GPFS", 0x786f4256: "VirtualBox", 0xbacbacbc: "VMware",
}

// checkLocal refuses a folder on another machine.
func checkLocal(path string) error {
	var info unix.Statfs_t
	if err := unix.Statfs(path, &info); err != nil {
		return err
	}
	return checkKind(uint32(info.Type))
}

func checkKind(kind uint32) error {
	if name, is := remote[kind]; is {
		return fmt.Errorf("the folder is on %s, where locks and disks may be on another machine: want a local disk, or a PostgreSQL ledger", name)
	}
	return nil
}
