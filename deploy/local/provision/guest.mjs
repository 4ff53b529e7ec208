// The first process of the tests' small virtual machine, and what it needs.

/** Kernel modules, in loading order. */
export const guestModules = [
  ...["virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci"],
  ...["failover", "net_failover", "virtio_net", "virtio_blk", "virtio-rng"],
  ...["fat", "vfat", "nls_cp437", "nls_ascii"],
];

/** The kernel's command line. Without unused features, an emulated machine boots in two thirds of the time. */
export const guestOptions = "console=ttyS0 quiet panic=-1 cryptomgr.notests mitigations=off pci=noacpi apparmor=0";

export const guestPasswd = "root::0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n";

/** Lets root log in only with the key on a NoCloud seed disk, or without a password if the kernel's command line has `ci.open`. */
export const guestInit = `#!/bin/sh
export PATH=/bin HOME=/root
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts none /dev/pts
ln -s /proc/self/fd /dev/fd
ln -s fd/0 /dev/stdin
ln -s fd/1 /dev/stdout
ln -s fd/2 /dev/stderr
for module in /modules/*; do insmod $module; done
ip link set lo up
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth0
ip route add default via 10.0.2.2
echo nameserver 10.0.2.3 > /etc/resolv.conf
login=-B
if ! grep -q ci.open /proc/cmdline; then
  for disk in /dev/vd?; do
    # A FAT file system has its label at this offset.
    [ "$(dd if=$disk bs=1 skip=43 count=6 2>/dev/null)" = cidata ] && mount -t vfat -o ro $disk /seed
  done
  mkdir -m 700 /root/.ssh
  [ -s /seed/meta-data ] && sed -n 's/^ *- \\(ssh-.*\\)/\\1/p' /seed/user-data > /root/.ssh/authorized_keys
  umount /seed
  login=-s
fi
echo "guest is up, dropbear $login"
exec dropbear -F -E $login -p 22
`;
