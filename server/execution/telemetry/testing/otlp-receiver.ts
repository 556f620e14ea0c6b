import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const Value = z.object({
  stringValue: z.string().optional(),
  intValue: z.number().optional(),
  doubleValue: z.number().optional(),
});
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
    ),
  );

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: Attributes,
  events: z.array(z.object({ name: z.string() })).default([]),
  status: z.object({ code: z.int(), message: z.string().optional() }),
});
export type ReceivedSpan = z.infer<typeof Span>;

const Body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export interface OtlpReceiver {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Attributes of the resources. */
  readonly resources: Record<string, unknown>[];
}

/** Receives OTLP over real HTTP, as JSON, until the test ends. */
export async function startReceiver(): Promise<OtlpReceiver> {
  const receiver = { spans: [] as ReceivedSpan[], resources: [] as Record<string, unknown>[] };
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if (request.url !== '/v1/traces') return response.writeHead(404).end();
      for (const { resource, scopeSpans } of Body.parse(body).resourceSpans) {
        receiver.resources.push(resource.attributes);
        receiver.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
      }
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, ...receiver };
}
