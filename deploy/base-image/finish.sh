# mmdebstrap runs this at its end with the folder of the new system.
set -e
ln -sf ../run/systemd/resolve/stub-resolv.conf "$1/etc/resolv.conf"
# Every machine creates its own. An empty machine-id keeps systemd from treating this as a new installation.
rm -f "$1"/etc/ssh/ssh_host_*
: > "$1/etc/machine-id"
rm -f "$1/var/lib/dbus/machine-id"
chroot "$1" systemctl -q enable first-boot.service ssh.service systemd-networkd.service systemd-resolved.service
# Nothing needs these, and the timers would later take locks that a job needs.
chroot "$1" systemctl -q mask systemd-networkd-wait-online.service apt-daily.timer apt-daily-upgrade.timer \
  dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
# Remove passwords from mirrors' URLs: every user of the image could read them.
sed -i 's|://[^/@ ]*@|://|' "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/* 2> /dev/null || :
