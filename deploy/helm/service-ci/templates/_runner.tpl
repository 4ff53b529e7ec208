{{/* The number of builds of one runner. */}}
{{- define "service-ci.runnerBuilds" -}}
{{- .Values.runner.settings.RUNNER_BUILDS | default 1 | int64 -}}
{{- end }}

{{/* The resources of the runner's container. Memory that is not set in the values gets that of the virtual machines added. */}}
{{- define "service-ci.runnerResources" -}}
{{- $own := .Values.runner -}}
{{- $resources := deepCopy $own.resources -}}
{{- if has "qemu" $own.drivers -}}
{{- /* As in values.yaml: what the runner itself needs. */ -}}
{{- $itself := dict "requests" "96Mi" "limits" "512Mi" -}}
{{- $each := include "service-ci.mebibytes" ($own.settings.QEMU_MEMORY | default "2GiB") | add 256 -}}
{{- $waiting := $own.settings.RUNNER_WARM_VMS | default 0 | int64 -}}
{{- $machines := mul (include "service-ci.runnerBuilds" .) (add 1 $waiting) -}}
{{- range $kind, $size := $itself -}}
{{- $needed := include "service-ci.mebibytes" $size | add (mul $machines $each) -}}
{{- $given := dig $kind "memory" "" $resources -}}
{{- if eq (toString $given) $size -}}
{{- $_ := set (get $resources $kind) "memory" (printf "%dMi" $needed) -}}
{{- else if and $given (eq $kind "limits") (lt (include "service-ci.mebibytes" $given | int64) $needed) -}}
{{- $sum := printf "%s for itself and %dMi for each of up to %d virtual machines (RUNNER_BUILDS, RUNNER_WARM_VMS, QEMU_MEMORY)" $size $each $machines -}}
{{- fail (printf "runner.resources.limits.memory is %v, but a runner needs %dMi: %s. Without this value, the chart computes it" $given $needed $sum) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $resources -}}
{{- end }}

{{/* A volume of a runner's pod for what builds fill. Takes root, name and size. */}}
{{- define "service-ci.runnerDisk" -}}
{{- $disks := .root.Values.runner.disks -}}
name: {{ .name }}
{{- if eq $disks.kind "node" }}
emptyDir: { sizeLimit: {{ .size }} }
{{- else }}
ephemeral:
  volumeClaimTemplate:
    metadata:
      labels: {{ include "service-ci.selector" (dict "root" .root "name" "runner") | nindent 8 }}
    spec:
      accessModes: [ReadWriteOnce]
      {{- with $disks.storageClass }}
      storageClassName: {{ . }}
      {{- end }}
      resources: { requests: { storage: {{ .size }} } }
{{- end }}
{{- end }}

{{/* How much of its disk a runner uses for what later builds may need. */}}
{{- define "service-ci.runnerCaches" -}}
{{- $own := .Values.runner -}}
{{- if not (hasKey $own.settings "RUNNER_CACHE_COPIES") }}
RUNNER_CACHE_COPIES: {{ include "service-ci.part" (dict "size" $own.storage "percent" 25 "most" "10GiB") }}
{{- end }}
{{- if and (has "qemu" $own.drivers) (not (hasKey $own.settings "RUNNER_IMAGES_CACHE")) }}
RUNNER_IMAGES_CACHE: {{ include "service-ci.part" (dict "size" $own.storage "percent" 50 "most" $own.storage) }}
{{- end }}
{{- end }}
