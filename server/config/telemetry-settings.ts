import { z } from 'zod';
import { httpUrl, oneOf, text } from './config-kinds.ts';
import { type Setting, setting } from './config-setting.ts';

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** By their standard names. */
export const telemetrySettings: readonly Setting[] = [
  setting({
    name: 'otlpEndpoint',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    doc: 'Where traces of runs are sent to over OTLP/HTTP, such as http://localhost:4318; docs/observability.md.',
    shown: 'none: no traces',
    fallback: undefined,
    schema: httpUrl,
    expects: 'must be an http or https URL',
  }),
  setting({
    name: 'otelServiceName',
    env: 'OTEL_SERVICE_NAME',
    doc: 'What this server is called in traces.',
    shown: 'weft',
    fallback: 'weft',
    ...text(),
  }),
  setting({
    name: 'tracesSampler',
    env: 'OTEL_TRACES_SAMPLER',
    doc: 'Which runs are traced: always_on, always_off, traceidratio, or parentbased_ and one of them.',
    shown: 'parentbased_always_on',
    fallback: 'parentbased_always_on',
    ...oneOf(...SAMPLERS),
  }),
  setting({
    name: 'tracesSamplerArg',
    env: 'OTEL_TRACES_SAMPLER_ARG',
    doc: 'Share of the runs that traceidratio traces, 0 to 1.',
    shown: '1',
    fallback: 1,
    schema: z.coerce.number().min(0).max(1),
    expects: 'must be a number from 0 to 1',
  }),
];
