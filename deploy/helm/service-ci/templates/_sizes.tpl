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

{{/* Part of a size, for a setting. Takes size, percent and most. */}}
{{- define "service-ci.part" -}}
{{- $part := div (mul (include "service-ci.mebibytes" .size) .percent) 100 -}}
{{- printf "%dMiB" (min $part (include "service-ci.mebibytes" .most)) -}}
{{- end }}

{{/* How much of the bundled MongoDB's volume one user may fill: the services' own defaults are for larger ones. Takes root and name. */}}
{{- define "service-ci.shares" -}}
{{- $shares := list -}}
{{- if eq .name "images" -}}
{{- $shares = list (list "IMAGE_LIMIT" 20 "20GiB") (list "IMAGE_QUOTA" 40 "1024GiB") -}}
{{- else if eq .name "namespaces" -}}
{{- $shares = list (list "OBJECT_QUOTA" 10 "100GiB") -}}
{{- else if eq .name "builds" -}}
{{- $shares = list (list "ARTIFACT_STORAGE" 10 "1GiB") (list "ARTIFACT_QUOTA" 10 "100GiB") -}}
{{- $shares = concat $shares (list (list "CACHE_LIMIT" 10 "2GiB") (list "CACHE_STORAGE" 10 "10GiB")) -}}
{{- end -}}
{{- range $shares }}
{{- if and $.root.Values.mongodb.bundled (not (hasKey (get $.root.Values $.name).settings (index . 0))) }}
{{ index . 0 }}: {{ include "service-ci.part" (dict "size" $.root.Values.mongodb.storage "percent" (index . 1) "most" (index . 2)) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Fails if an upgrade would change a bundled server's volumes: Kubernetes would refuse that halfway. Takes root and name. */}}
{{- define "service-ci.sameVolumes" -}}
{{- $own := get .root.Values .name -}}
{{- $set := include "service-ci.name" . -}}
{{- range dig "spec" "volumeClaimTemplates" list (lookup "apps/v1" "StatefulSet" .root.Release.Namespace $set) -}}
{{- $size := dig "spec" "resources" "requests" "storage" $own.storage . -}}
{{- $class := dig "spec" "storageClassName" "" . -}}
{{- if or (ne (include "service-ci.bytes" $size) (include "service-ci.bytes" $own.storage)) (ne $class $own.storageClass) -}}
{{- $change := printf "storage %s and storageClass %q, but the values say %s and %q" $size $class $own.storage $own.storageClass -}}
{{- $next := printf "Enlarge its claims, run `kubectl -n %s delete statefulset %s --cascade=orphan`, and upgrade again" $.root.Release.Namespace $set -}}
{{- fail (printf "%s has volumes with %s. An upgrade cannot change them; it has changed nothing. %s: docs/operating.md#volumes" $.name $change $next) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Rejects another user for the bundled MongoDB: mongod opens only files of its own user, whatever their group may do. */}}
{{- define "service-ci.sameUser" -}}
{{- $set := include "service-ci.name" (dict "root" . "name" "mongodb") -}}
{{- with dig "spec" "template" "spec" "securityContext" dict (lookup "apps/v1" "StatefulSet" .Release.Namespace $set) -}}
{{- $is := .runAsUser | default 0 | int64 -}}
{{- $wanted := $.Values.runAsUser.mongodb | default 0 | int64 -}}
{{- if ne $is $wanted -}}
{{- $is = $is | default "assigned by the cluster" -}}
{{- $wanted = $wanted | default "null" -}}
{{- $users := printf "The user of MongoDB's files is %v, but runAsUser.mongodb is %v. An upgrade cannot change it; it has changed nothing" $is $wanted -}}
{{- fail (printf "%s. Another user needs new volumes: docs/operating.md#volumes" $users) -}}
{{- end -}}
{{- end -}}
{{- end }}
