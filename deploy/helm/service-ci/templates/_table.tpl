{{/*
Which service talks to which. Addresses, network policies and secrets are made from this table.
  calls   services by gRPC
  data    mongodb, nats
  world   whether it reaches the outside world
  secrets which secrets it gets
*/}}
{{- define "service-ci.table" -}}
gateway:    { calls: [namespaces, builds, images, webhooks], data: [nats], world: {{ ne .Values.openid.secret "" }}, secrets: [NATS_URL] }
namespaces: { calls: [], data: [mongodb, nats], world: false, secrets: [MONGO_URL, NATS_URL, SECRET_KEYS, CI_ADMIN_TOKEN] }
builds:     { calls: [namespaces], data: [mongodb, nats], world: true, secrets: [MONGO_URL, NATS_URL, SECRET_KEYS] }
images:     { calls: [namespaces], data: [mongodb, nats], world: true, secrets: [MONGO_URL, NATS_URL, SECRET_KEYS] }
webhooks:   { calls: [namespaces, builds], data: [mongodb, nats], world: true, secrets: [MONGO_URL, NATS_URL, SECRET_KEYS] }
runner:     { calls: [builds{{ if has "qemu" .Values.runner.drivers }}, images{{ end }}], data: [nats], world: true, secrets: [NATS_URL] }
{{- end }}

{{/* The settings of a service, except secrets. Takes root and name. */}}
{{- define "service-ci.settings" -}}
{{- $values := .root.Values -}}
{{- $row := get (fromYaml (include "service-ci.table" .root)) .name -}}
ADMIN_LISTEN: 0.0.0.0:9090
LOG_LEVEL: {{ $values.logLevel | quote }}
SUBJECT_PREFIX: {{ $values.subjectPrefix | quote }}
{{- if ne .name "runner" }}
LISTEN: 0.0.0.0:8080
STOP_DELAY: {{ printf "%ds" (int $values.stop.delaySeconds) | quote }}
STOP_GRACE: {{ printf "%ds" (int $values.stop.graceSeconds) | quote }}
{{- end }}
{{- range $row.calls }}
{{ upper . }}_ADDR: {{ include "service-ci.name" (dict "root" $.root "name" .) }}:8080
{{- end }}
{{- if has .name (list "gateway" "builds" "webhooks") }}
PUBLIC_URL: {{ $values.publicUrl | quote }}
{{- end }}
{{- if eq .name "gateway" }}
BUILD_VERSION: {{ include "service-ci.tag" .root | quote }}
{{- $proxies := $values.expose.proxies | default list }}
{{- if and (ne $values.expose.kind "none") (not $proxies) }}
{{- fail (printf "expose.proxies is required: the addresses or CIDR ranges from which the %s connects, such as the pod network" $values.expose.kind) }}
{{- end }}
TRUSTED_PROXIES: {{ join "," $proxies | quote }}
{{- end }}
{{- if eq .name "namespaces" }}
CI_ADMIN_USERNAME: {{ $values.admin.username | quote }}
CI_ADMIN_EMAIL: {{ $values.admin.email | quote }}
{{- end }}
{{- if eq .name "builds" }}
DRIVERS: {{ join "," $values.runner.drivers | quote }}
{{- end }}
{{- if has .name (list "builds" "images" "webhooks" "runner") }}
CI_GUARD_ALLOW: {{ $values.guardAllow | quote }}
{{- end }}
{{- if $values.extraCa.configMap }}
# For MongoDB and NATS with TLS. What users address uses CI_EXTRA_CA.
NODE_EXTRA_CA_CERTS: /extra-ca/{{ $values.extraCa.key }}
{{- if has .name (list "builds" "images" "webhooks" "runner") }}
CI_EXTRA_CA: /extra-ca/{{ $values.extraCa.key }}
{{- end }}
{{- end }}
{{- include "service-ci.shares" . }}
TLS_CERT: /tls/tls.crt
TLS_KEY: /tls/tls.key
TLS_CA: /tls/ca.crt
{{- if eq .name "runner" }}
RUNNER_DRIVERS: {{ join "," $values.runner.drivers | quote }}
RUNNER_DRAIN: {{ printf "%ds" (int $values.runner.drainSeconds) | quote }}
RUNNER_DIR: /work/builds
{{- include "service-ci.runnerCaches" .root }}
{{- if has "docker" $values.runner.drivers }}
{{- if eq $values.runner.engine.kind "sidecar" }}
DOCKER_HOST: unix:///run/engine/docker.sock
{{- /* The engine's own image has iptables. */}}
{{- if not (hasKey $values.runner.settings "JOB_EGRESS_IMAGE") }}
JOB_EGRESS_IMAGE: {{ $values.runner.engine.image | quote }}
{{- end }}
{{- else }}
DOCKER_HOST: {{ required "runner.engine.host is required for a remote engine" $values.runner.engine.host | quote }}
{{- if $values.runner.engine.tlsSecret }}
DOCKER_TLS_VERIFY: "1"
DOCKER_CERT_PATH: /engine-tls
{{- end }}
{{- end }}
{{- end }}
{{- if has "qemu" $values.runner.drivers }}
RUNNER_IMAGES_DIR: /work
QEMU_ACCEL: {{ ternary "tcg" "kvm" (eq $values.runner.kvm.kind "none") }}
{{- end }}
{{- end }}
{{- $own := (get $values .name).settings }}
{{- include "service-ci.nodeOptions" . }}
{{- if and $values.tracing.endpoint (not (hasKey $own "OTEL_EXPORTER_OTLP_ENDPOINT")) }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ $values.tracing.endpoint | quote }}
{{- end }}
{{- range $name, $value := omit $own "NODE_OPTIONS" }}
{{- /* toString writes large numbers as 2e+06. */}}
{{ $name }}: {{ ternary ($value | toJson) ($value | toString) (kindIs "float64" $value) | quote }}
{{- end }}
{{- end }}

{{/* The options of Node: the images' value, the chart's own and those of the settings, of which the last one wins. */}}
{{- define "service-ci.nodeOptions" -}}
{{- $values := .root.Values -}}
{{- $options := list -}}
{{- if and (eq .name "runner") (has "qemu" $values.runner.drivers) -}}
{{- /* Half of the runner's own memory: the container's limit includes that of virtual machines. */ -}}
{{- $options = append $options "--max-old-space-size=256" -}}
{{- end -}}
{{- if $values.tracing.endpoint -}}
{{- $options = append $options "--import file:///app/deploy/otel/register.mjs" -}}
{{- end -}}
{{- with (get $values .name).settings.NODE_OPTIONS -}}
{{- $options = append $options . -}}
{{- end -}}
{{- with $options }}
NODE_OPTIONS: {{ prepend . "--max-semi-space-size=8" | join " " | quote }}
{{- end -}}
{{- end }}
