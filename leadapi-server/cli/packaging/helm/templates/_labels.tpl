{{/* The labels that select the pods of a release. */}}
{{- define "leadapi.selector" -}}
app.kubernetes.io/name: leadapi
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The labels of all resources. */}}
{{- define "leadapi.labels" -}}
{{ include "leadapi.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
