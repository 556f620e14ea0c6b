import { z } from 'zod';
import { Catalog } from '#shared/catalog.ts';
import { scopes } from '#shared/key.ts';
import type { RouteGroup } from '../description.ts';

const Checks = z.object({ flows: z.string(), storage: z.string(), durable: z.string(), server: z.string() });
const Readiness = z.object({
  status: z.string(),
  checks: Checks,
  lost: z
    .array(z.string())
    .optional()
    .describe('Stores of the data folder that were gone or damaged at the start.'),
});

const Session = z.object({
  csrf: z.string().describe('To be sent as `X-Weft-CSRF` with whatever changes something.'),
  scopes: z.array(z.enum(scopes)),
  deploy: z.enum(['on-save', 'manual']),
  version: z.string(),
  triggerOrigin: z.string().optional().describe('Where triggers and wait pages are, if not here.'),
  lost: z
    .array(z.string())
    .describe('Stores of the data folder that were gone or damaged at the start, each as a sentence.'),
});

const page = { 'text/html': undefined };
const document = { 'application/json': z.looseObject({ openapi: z.string() }) };

export const platform: RouteGroup = {
  tag: 'Platform',
  routes: {
    'GET /': { summary: 'The editor; without its build, a page that says how to make it.', content: page },
    'GET /assets/*': { summary: 'Scripts and styles of the editor.', content: { '*/*': undefined } },
    'GET /docs': { summary: 'A page that shows this document and tries its calls.', content: page },
    'GET /openapi.json': {
      summary:
        'The API as OpenAPI 3.1: for everybody the platform, with `flows:read` also every live trigger with what it takes and gives.',
      guide: 'openapi',
      content: document,
    },
    'GET /api/v1/flows/:id/openapi.json': {
      summary: 'The live triggers of one flow as OpenAPI 3.1.',
      guide: 'openapi',
      content: document,
      errors: ['flow_not_found'],
    },
    'GET /healthz': {
      summary: 'The process lives.',
      content: { 'application/json': z.object({ status: z.literal('ok') }) },
    },
    'GET /readyz': {
      summary:
        'It can serve: flows loaded, storage writable, durable runs readable, not shutting down. Else 503.',
      content: { 'application/json': Readiness },
    },
    'GET /metrics': {
      summary: 'Numbers for Prometheus. Open on loopback, beyond it with `runs:read`.',
      content: { 'text/plain': z.string() },
    },
    'GET /api/v1/session': {
      summary: 'What the browser’s session may do, and its CSRF token.',
      data: Session,
    },
    'POST /api/v1/session': {
      summary: 'Signs in with `WEFT_ADMIN_PASSWORD`. Five tries a minute.',
      body: z.object({ password: z.string().min(1).max(1024) }),
      data: Session.pick({ csrf: true }),
      errors: ['unauthorized', 'too_many_requests'],
    },
    'POST /api/v1/session/invite': {
      summary:
        'Makes an address that signs in another browser: once, within 15 minutes. One made before, or printed at the start, ends.',
      data: z.object({ address: z.string() }),
    },
    'DELETE /api/v1/session': { summary: 'Signs out.', data: z.null() },
    'GET /api/v1/operators': { summary: 'The catalog of operators.', data: Catalog },
  },
};
