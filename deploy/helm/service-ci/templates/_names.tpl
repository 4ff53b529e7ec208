{{/* The name of a part of this release. Takes root and name. */}}
{{- define "service-ci.name" -}}
{{- $release := .root.Release.Name -}}
{{- $base := ternary $release (printf "%s-service-ci" $release) (contains "service-ci" $release) -}}
{{- printf "%s-%s" ($base | trunc 40 | trimSuffix "-") .name -}}
{{- end }}

{{/* The labels that select exactly the pods of a part. Takes root and name. */}}
{{- define "service-ci.selector" -}}
app.kubernetes.io/name: service-ci
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* The labels of every object. Takes root and name. */}}
{{- define "service-ci.labels" -}}
{{ include "service-ci.selector" . }}
app.kubernetes.io/version: {{ include "service-ci.tag" .root | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "service-ci.tag" -}}
{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The image of one of our services. Takes root and name. */}}
{{- define "service-ci.image" -}}
{{ .root.Values.image.repository }}/{{ .name }}:{{ include "service-ci.tag" .root }}
{{- end }}

{{/* The name of the release's Secret, generated or given. */}}
{{- define "service-ci.secret" -}}
{{ .Values.secrets.existing | default (include "service-ci.name" (dict "root" . "name" "secrets")) }}
{{- end }}

{{/* All services, in order. */}}
{{- define "service-ci.services" -}}
{{ keys (fromYaml (include "service-ci.table" .)) | sortAlpha | toJson }}
{{- end }}

{{/* The services that others call, in order: all but the runner. */}}
{{- define "service-ci.called" -}}
{{ without (include "service-ci.services" . | fromJsonArray) "runner" | toJson }}
{{- end }}

{{/* The services that use a bundled server, in order. Takes root and server: mongodb or nats. */}}
{{- define "service-ci.usersOf" -}}
{{- range $name, $row := fromYaml (include "service-ci.table" .root) }}
{{- if has $.server $row.data }}
- {{ $name }}
{{- end }}
{{- end }}
{{- end }}

{{/* The environment variables with the passwords of a bundled server's users. Takes root and server. */}}
{{- define "service-ci.passwords" -}}
{{- $prefix := ternary "MONGO_PASSWORD" "NATS_PASSWORD" (eq .server "mongodb") -}}
{{- $names := list $prefix -}}
{{- range include "service-ci.usersOf" . | fromYamlArray }}{{ $names = append $names (printf "%s_%s" $prefix (upper .)) }}{{ end }}
{{- range $names }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ include "service-ci.secret" $.root }}, key: {{ . }} } }
{{- end }}
{{- end }}

{{/* The reference to one secret of a service. Takes root, service and name. */}}
{{- define "service-ci.secretRef" -}}
{{- $key := ternary (printf "%s_%s" .name (upper .service)) .name (hasSuffix "_URL" .name) -}}
{{- $own := dict "name" (include "service-ci.secret" .root) "key" $key -}}
{{- $given := dict -}}
{{- if and (eq .name "MONGO_URL") (not .root.Values.mongodb.bundled) -}}
{{- $given = .root.Values.mongodb.urlSecret -}}
{{- else if and (eq .name "NATS_URL") (not .root.Values.nats.bundled) -}}
{{- $given = .root.Values.nats.urlSecret -}}
{{- end -}}
{{- if $given -}}
name: {{ required (printf "%s is not bundled: its urlSecret must be named" (.name | trimSuffix "_URL" | lower)) $given.name }}
key: {{ ternary (printf "%s_%s" $given.key (upper .service)) $given.key $given.perService }}
{{- else -}}
{{ toYaml $own }}
{{- end -}}
{{- end }}

{{/* The members of the bundled replica set, in MongoDB's format. */}}
{{- define "service-ci.mongoMembers" -}}
{{- include "service-ci.firstMongoMembers" (dict "root" . "number" .Values.mongodb.replicas) -}}
{{- end }}

{{/* The first members, up to a number. */}}
{{- define "service-ci.firstMongoMembers" -}}
{{- $name := include "service-ci.name" (dict "root" .root "name" "mongodb") -}}
{{- range $nth := until (int .number) -}}
{{- if $nth }},{{ end }}{{ $name }}-{{ $nth }}.{{ $name }}.{{ $.root.Release.Namespace }}.svc:27017
{{- end -}}
{{- end }}

{{/* The rule of a network policy that lets a pod query the DNS servers. */}}
{{- define "service-ci.dnsRule" -}}
{{- $ports := list -}}
{{- range $port := .Values.networkPolicy.dnsPorts }}
{{- range $protocol := list "UDP" "TCP" }}{{ $ports = append $ports (dict "port" $port "protocol" $protocol) }}{{ end }}
{{- end -}}
{{ dict "to" .Values.networkPolicy.dnsTo "ports" $ports | toJson }}
{{- end }}

{{/* The annotations of an object that exists while an upgrade is prepared. Takes its place in the order. */}}
{{- define "service-ci.beforeUpgrade" -}}
helm.sh/hook: pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
