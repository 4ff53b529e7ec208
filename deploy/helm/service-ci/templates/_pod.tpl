{{/* The security context of our containers. */}}
{{- define "service-ci.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* The security context of a pod. Takes user; without one, the cluster assigns the ids. */}}
{{- define "service-ci.person" -}}
runAsNonRoot: true
{{- with .user }}
runAsUser: {{ int64 . }}
runAsGroup: {{ int64 . }}
fsGroup: {{ int64 . }}
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* The common part of a pod spec, above its containers. Takes root and name. */}}
{{- define "service-ci.podHead" -}}
{{- $own := get .root.Values .name -}}
serviceAccountName: {{ include "service-ci.name" (dict "root" .root "name" "pods") }}
automountServiceAccountToken: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with $own.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $own.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $own.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/*
Prefers other nodes, and other zones where nodes have the label. A constraint for zones would give nodes without it no score for
either. Of a Deployment, only pods of the same revision count (for zones since Kubernetes 1.31). Takes root and name.
*/}}
{{- define "service-ci.spread" -}}
{{- $same := dict "labelSelector" (dict "matchLabels" (include "service-ci.selector" . | fromYaml)) -}}
{{- if has .name (include "service-ci.called" .root | fromJsonArray) }}{{ $_ := set $same "matchLabelKeys" (list "pod-template-hash") }}{{ end -}}
{{- $zones := merge (dict "topologyKey" "topology.kubernetes.io/zone") $same -}}
topologySpreadConstraints:
  - {{ merge (dict "topologyKey" "kubernetes.io/hostname" "maxSkew" 1 "whenUnsatisfiable" "ScheduleAnyway") $same | toJson }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - {{ dict "weight" 100 "podAffinityTerm" $zones | toJson }}
{{- end }}

{{/* The labels of a pod. Takes root, name and, if other values apply to it, their part. */}}
{{- define "service-ci.podLabels" -}}
{{ include "service-ci.labels" . }}
{{- with (get .root.Values (.part | default .name)).labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The metadata of such a pod. A change of settings replaces the pods. Takes root and name. */}}
{{- define "service-ci.podMeta" -}}
labels: {{ include "service-ci.podLabels" . | nindent 2 }}
annotations:
  checksum/settings: {{ include "service-ci.settings" . | sha256sum }}
{{- with (get .root.Values .name).annotations }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{/*
The number of its pods. With autoscaling, that of the live workload: without one, Kubernetes would fall back to a single pod
when autoscaling is turned on. Nothing if there is none, so that tools that only render do not set it again and again.
Takes root, name and kind.
*/}}
{{- define "service-ci.replicas" -}}
{{- $own := get .root.Values .name -}}
{{- $live := lookup "apps/v1" .kind .root.Release.Namespace (include "service-ci.name" .) -}}
{{- with ternary (dig "spec" "replicas" 0 $live) $own.replicas $own.autoscaling.enabled -}}
replicas: {{ . }}
{{- end -}}
{{- end }}

{{/* The container of a service, below its name and image. Takes root and name. */}}
{{- define "service-ci.container" -}}
{{- $row := get (fromYaml (include "service-ci.table" .root)) .name -}}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
envFrom:
  - configMapRef: { name: {{ include "service-ci.name" . }} }
env:
{{- range $row.secrets }}
  - name: {{ . }}
    valueFrom: { secretKeyRef: {{ include "service-ci.secretRef" (dict "root" $.root "service" $.name "name" .) | fromYaml | toJson }} }
{{- end }}
{{- if and (eq .name "gateway") .root.Values.openid.secret }}
  - name: OIDC_CLIENT_SECRET
    valueFrom: { secretKeyRef: { name: {{ .root.Values.openid.secret }}, key: {{ .root.Values.openid.key }} } }
{{- end }}
{{- if eq .name "runner" }}
  # The runner finds what it left behind: only the pod with this name ever used this disk and engine.
  - name: RUNNER_NAME
    valueFrom: { fieldRef: { fieldPath: metadata.name } }
{{- end }}
ports:
{{- if ne .name "runner" }}
  - { name: {{ ternary "http" "grpc" (eq .name "gateway") }}, containerPort: 8080 }
{{- end }}
  - { name: admin, containerPort: 9090 }
# After more than ten minutes, the kubelet starts the next process at once: it forgets how often earlier ones ended.
startupProbe: { httpGet: { path: /readyz, port: admin }, periodSeconds: 2, failureThreshold: 450, timeoutSeconds: 5 }
readinessProbe: { httpGet: { path: /readyz, port: admin }, periodSeconds: 5, timeoutSeconds: 5 }
livenessProbe: { httpGet: { path: /healthz, port: admin }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
{{- if eq .name "runner" }}
resources: {{ include "service-ci.runnerResources" .root | nindent 2 }}
{{- else }}
resources: {{ toYaml (get .root.Values .name).resources | nindent 2 }}
{{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: tls, mountPath: /tls, readOnly: true }
{{- if .root.Values.extraCa.configMap }}
  - { name: extra-ca, mountPath: /extra-ca, readOnly: true }
{{- end }}
{{- end }}

{{/* The volumes of that container. Takes root and name. */}}
{{- define "service-ci.volumes" -}}
- { name: tmp, emptyDir: {} }
- name: tls
  secret: { secretName: {{ include "service-ci.tlsSecret" . }} }
{{- if .root.Values.extraCa.configMap }}
- name: extra-ca
  configMap: { name: {{ .root.Values.extraCa.configMap }} }
{{- end }}
{{- end }}

{{- define "service-ci.tlsSecret" -}}
{{- if eq .root.Values.tls.kind "secret" -}}
{{ required "tls.secret is needed for tls.kind secret" .root.Values.tls.secret }}-{{ .name }}
{{- else -}}
{{ include "service-ci.name" . }}-tls
{{- end -}}
{{- end }}
