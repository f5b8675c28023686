package chain

import "testing"

// TestRemoteFileSystemsAreRefused checks the numbers that statfs returns, since no test can mount them.
func TestRemoteFileSystemsAreRefused(t *testing.T) {
	for kind, refused := range map[uint32]bool{
		0x6969: true, 0x517b: true, 0xfe534d42: true, 0xff534d42: true, 0x01021997: true, 0x65735546: true, 0x00c36400: true,
		0xef53: false, 0x58465342: false, 0x9123683e: false, 0x794c7630: false, 0x01021994: false, 0x2fc12fc1: false,
	} {
		if err := checkKind(kind); (err != nil) != refused {
			t.Errorf("file system %#x: got %v, want it refused: %v", kind, err, refused)
		}
	}
}
