import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TriggerTable } from '../flows/trigger-table.ts';
import { pathBehind } from './address.ts';
import { type Admitted, allowed, lookUp } from './admission.ts';
import { handedOver, triggerPrefix } from './front-door.ts';
import { bodyKind, readsBody, triggerBodies } from './input.ts';
import { answerWith, startAdmitted } from './launch.ts';
import { createSpecialCalls, type SpecialDeps } from './special-calls.ts';

const ADMITTED = 'admittedTrigger';
const HTTP = { source: 'http' } as const;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body of a trigger request is read. */
    [ADMITTED]: Admitted | undefined;
  }
}

/**
 * All live triggers: one wildcard route in front of the trigger table, because Fastify cannot add routes once it
 * listens. Look-up and authentication come before the body, so a stranger cannot make the server read one. HEAD is
 * answered after both without running the flow: 200 and no body. OPTIONS needs no key: 204 with `Allow`. A signature
 * is checked when the body is there, before anything reads it. `direct` says that no hook of the app needs to see or
 * change the answers, so that the usual one may take a shorter way out.
 */
export default async function triggerRoutes(
  app: FastifyInstance,
  ctx: { readonly triggers: TriggerTable } & SpecialDeps,
  { direct = false }: { direct?: boolean } = {},
): Promise<void> {
  const prefix = triggerPrefix;
  const { triggers, runs, gate } = ctx;
  const special = createSpecialCalls(ctx);
  const [terms, handed] = [{ direct, gate }, { gate }];

  function admit(request: FastifyRequest): Admitted {
    const { method, url } = request.raw as { method: string; url: string };
    const admitted = lookUp(triggers, method, pathBehind(url, prefix));
    admitted.signed = gate.admit(admitted.endpoint, request);
    admitted.apiKey = gate.keyOf(admitted.endpoint, request.raw);
    return admitted;
  }

  function readRequest(request: FastifyRequest, reply: FastifyReply): void {
    const started = handedOver(request.raw);
    if (started !== undefined) return answerWith(reply, started.run, started.admitted.endpoint, handed);
    const admitted = admit(request);
    if (request.raw.method === 'HEAD') reply.code(200).send();
    else runAdmitted(admitted, request, reply);
  }

  function runAdmitted(admitted: Admitted, request: FastifyRequest, reply: FastifyReply): void {
    if (special.takes(admitted.endpoint, request)) return special.answer(admitted, request, reply);
    const run = startAdmitted(runs, admitted, request, HTTP);
    answerWith(reply, run, admitted.endpoint, terms);
  }

  function beforeBody(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    if (request.raw.method === 'OPTIONS') {
      reply
        .code(204)
        .header('allow', allowed(triggers, pathBehind(request.raw.url as string, prefix)))
        .send();
      return;
    }
    const admitted = admit(request);
    if (readsBody(request.raw.method)) bodyKind(admitted.endpoint.accept, request.headers['content-type']);
    request[ADMITTED] = admitted;
    done();
  }

  function bodyRequest(request: FastifyRequest, reply: FastifyReply): void {
    runAdmitted(request[ADMITTED] as Admitted, request, reply);
  }

  readBodiesBy(app);
  app.decorateRequest(ADMITTED, undefined);
  const others = app.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD');
  for (const url of [prefix, `${prefix}/*`]) {
    const config = { scope: 'trigger-auth', servedAt: 'triggers' } as const;
    app.route({ method: ['GET', 'HEAD'], url, config, exposeHeadRoute: false, handler: readRequest });
    app.route({ method: others, url, config, onRequest: beforeBody, handler: bodyRequest });
  }
}

/** Bodies are read by the rules of the trigger that the request was admitted to. */
function readBodiesBy(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    triggerBodies((request) => request[ADMITTED] as Admitted),
  );
}
