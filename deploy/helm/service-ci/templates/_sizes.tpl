{{/* The bytes of a size, in the notation of Kubernetes or of our settings: 20Gi, 1.5G, 2GiB, 2147483648. */}}
{{- define "service-ci.bytes" -}}
{{- $text := ternary (toJson .) (toString .) (kindIs "float64" .) -}}
{{- $number := regexFind "^[0-9]+([.][0-9]+)?([eE][0-9]+)?" $text -}}
{{- $unit := trimPrefix $number $text | trimSuffix "B" -}}
{{- $binary := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $units := merge $binary (dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000) -}}
{{- if or (not $number) (not (hasKey $units $unit)) -}}
{{- fail (printf "%q is not a size such as 512Mi, 20Gi or 2GiB" $text) -}}
{{- end -}}
{{- mulf (float64 $number) (get $units $unit) | int64 -}}
{{- end }}

{{/* The same in MiB, rounded up. */}}
{{- define "service-ci.mebibytes" -}}
{{- div (add (include "service-ci.bytes" .) 1048575) 1048576 -}}
{{- end }}

{{/* Part of a size, for a setting. Takes size, parts (how many there are) and most. */}}
{{- define "service-ci.part" -}}
{{- $part := div (include "service-ci.mebibytes" .size) .parts -}}
{{- printf "%dMiB" (min $part (include "service-ci.mebibytes" .most)) -}}
{{- end }}
