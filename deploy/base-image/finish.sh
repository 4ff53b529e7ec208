# Run by mmdebstrap in the end, with the folder of the new system as its argument.
set -e
ln -sf ../run/systemd/resolve/stub-resolv.conf "$1/etc/resolv.conf"
# Made anew by every machine. A file without content keeps systemd from taking this for a new installation.
rm -f "$1"/etc/ssh/ssh_host_*
: > "$1/etc/machine-id"
rm -f "$1/var/lib/dbus/machine-id"
chroot "$1" systemctl -q enable first-boot.service ssh.service systemd-networkd.service systemd-resolved.service
# Nothing waits for these, and what comes on its own after a while would hold the locks that a job wants.
chroot "$1" systemctl -q mask systemd-networkd-wait-online.service apt-daily.timer apt-daily-upgrade.timer \
  dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
# Whoever may read a mirror by a password has not said so to everybody who boots this.
sed -i 's|://[^/@ ]*@|://|' "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/* 2> /dev/null || :
