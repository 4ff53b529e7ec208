const capabilities = [
  ...["ALL", "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN"],
  ...["DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE"],
  ...["LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST"],
  ...["NET_RAW", "PERFMON", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_CHROOT"],
  ...["SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME"],
  ...["SYS_TTY_CONFIG", "WAKE_ALARM"],
];

export function parseCapabilities(text: string): string[] {
  const names = text.split(",").flatMap((name) => name.trim() || []);
  const unknown = names.find((name) => !capabilities.includes(name.toUpperCase().replace(/^CAP_/, "")));
  if (unknown !== undefined) throw new Error(`must be a list of ${capabilities.join(", ")}, not "${unknown}"`);
  return names;
}
