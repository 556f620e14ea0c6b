import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Run } from '#engine';
import type { TriggerTable } from '../../flows/service/trigger-table.ts';
import { pathBehind } from './address.ts';
import { addRateHeaders } from '../../access/security/guard.ts';
import { sharerOf } from '../../access/security/client-address.ts';
import { type Admitted, admittedTo, allowed, type Found, lookUp, proveCaller } from './admission.ts';
import { type HintDeps, withDraftHint } from './draft-hint.ts';
import { handedOver, triggerPrefix } from './front-door.ts';
import { isLargeJson, readJsonAhead } from '../../access/http/read-json.ts';
import type { Files } from '../../storage/file-store/files.ts';
import { bodyKind, discardUnheld, readsBody, triggerBodies } from './input.ts';
import { answerWith, checkSigned, startAdmitted } from './launch.ts';
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
 * is checked when the body has arrived, before anything parses it. `direct`: no hook of the app needs to see or
 * change the answers, so that the usual one may take a shorter way out.
 */
export default async function triggerRoutes(
  app: FastifyInstance,
  ctx: { readonly triggers: TriggerTable } & SpecialDeps & HintDeps,
  { direct = false }: { direct?: boolean } = {},
): Promise<void> {
  const { triggers, runs, gate } = ctx;
  const special = createSpecialCalls(ctx);
  const handed = { gate, files: ctx.files };
  const terms = { ...handed, direct };

  const admit = (request: FastifyRequest, reply: FastifyReply): Admitted | Promise<Admitted> =>
    admitCall(ctx, request, reply);

  function readRequest(request: FastifyRequest, reply: FastifyReply): void {
    const { started } = handedOver(request.raw);
    if (started !== undefined)
      return answerWith(reply, started.run, noted(started.admitted, request).endpoint, handed);
    const answer = (admitted: Admitted): void => {
      if (request.raw.method === 'HEAD') reply.code(200).send();
      else runAdmitted(admitted, request, reply);
    };
    goOn(admit(request, reply), answer, (error) => reply.send(error));
  }

  function runAdmitted(admitted: Admitted, request: FastifyRequest, reply: FastifyReply): void {
    if (special.takes(admitted.endpoint, request)) return special.answer(admitted, request, reply);
    const answer = (run: Run): void =>
      answerWith(reply, run, admitted.endpoint, admitted.limited === true ? handed : terms);
    goOn(startAdmitted(runs, admitted, request, HTTP), answer, (error) => reply.send(error));
  }

  function beforeBody(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    if (request.raw.method === 'OPTIONS') {
      sayAllowed(triggers, request, reply);
      return;
    }
    const read = (admitted: Admitted): void => {
      if (readsBody(request.raw.method)) bodyKind(admitted.endpoint.accept, request.headers['content-type']);
      request[ADMITTED] = admitted;
      done();
    };
    const { started } = handedOver(request.raw);
    if (started === undefined) goOn(admit(request, reply), read, (error) => done(error as Error));
    else read(noted(started.admitted, request));
  }

  function bodyRequest(request: FastifyRequest, reply: FastifyReply): void {
    const { started } = handedOver(request.raw);
    if (started !== undefined) return answerWith(reply, started.run, started.admitted.endpoint, handed);
    discardUnheld(ctx.files, request, reply);
    const run = (admitted: Admitted): void => {
      if (isLargeJson(request.body)) void readLarge(admitted, request, reply, runAdmitted);
      else runAdmitted(admitted, request, reply);
    };
    goOn(countSigned(request[ADMITTED] as Admitted, request, reply), run, (error) => reply.send(error));
  }

  readBodiesBy(app, ctx.files);
  const others = app.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD');
  for (const url of [triggerPrefix, `${triggerPrefix}/*`]) {
    const config = { scope: 'trigger-auth', servedAt: 'triggers' } as const;
    app.route({ method: ['GET', 'HEAD'], url, config, exposeHeadRoute: false, handler: readRequest });
    app.route({ method: others, url, config, onRequest: beforeBody, handler: bodyRequest });
  }
}

/**
 * Finds the trigger of a request, checks its caller, and counts the call. Throws, or rejects with `rate_limited`. A large flow
 * without calls so far is compiled first.
 */
function admitCall(
  ctx: { readonly triggers: TriggerTable; readonly gate: SpecialDeps['gate'] } & HintDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Admitted | Promise<Admitted> {
  const { gate } = ctx;
  const found = findCalled(ctx, request);
  const compiling = found.route.flow.toCompile?.();
  const admit = (): Admitted | Promise<Admitted> => admitFound(gate, found, request, reply);
  return compiling === undefined ? admit() : compiling.then(admit);
}

function findCalled(ctx: { readonly triggers: TriggerTable } & HintDeps, request: FastifyRequest): Found {
  const { method, url } = request.raw as { method: string; url: string };
  try {
    return lookUp(ctx.triggers, method, pathBehind(url, triggerPrefix));
  } catch (error) {
    throw withDraftHint(error, ctx, request);
  }
}

function admitFound(
  gate: SpecialDeps['gate'],
  found: Found,
  request: FastifyRequest,
  reply: FastifyReply,
): Admitted | Promise<Admitted> {
  const admitted = noted(admittedTo(found), request);
  const proved = proveCaller(gate, admitted, request);
  if (proved === undefined) return counted(gate, admitted, request, reply);
  return proved.then(() => counted(gate, admitted, request, reply));
}

function counted(
  gate: SpecialDeps['gate'],
  admitted: Admitted,
  request: FastifyRequest,
  reply: FastifyReply,
): Admitted | Promise<Admitted> {
  const key = gate.keyOf(admitted.endpoint, request.raw);
  admitted.apiKey = key?.name;
  // A sender who cannot sign must not use up the calls of those who can.
  const count = (): Promise<void> | undefined =>
    admitted.signed === undefined ? countCall(admitted, request, reply, key?.owner) : undefined;
  if (key?.perMinute === undefined) return after(count(), admitted);
  admitted.limited = true;
  const counted = addCounted(reply, request.server.rates.countKey(key));
  return after(counted === undefined ? count() : counted.then(count), admitted);
}

/** Calls `next` at once, or when the value has resolved. */
function goOn<T>(given: T | Promise<T>, next: (given: T) => void, failed: (error: unknown) => void): void {
  if (given instanceof Promise) given.then(next).catch(failed);
  else next(given);
}

function sayAllowed(triggers: TriggerTable, { raw }: FastifyRequest, reply: FastifyReply): void {
  reply
    .code(204)
    .header('allow', allowed(triggers, pathBehind(raw.url as string, triggerPrefix)))
    .send();
}

/** Reads a large body with pauses for other work, then runs it, if its caller is still there. */
async function readLarge(
  admitted: Admitted,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (admitted: Admitted, request: FastifyRequest, reply: FastifyReply) => void,
): Promise<void> {
  try {
    const { accept, jsonLimits, onDisconnect } = admitted.endpoint;
    checkSigned(admitted, request);
    if (bodyKind(accept, request.headers['content-type']) === 'json')
      await readJsonAhead(request.body as Buffer, jsonLimits);
    if (!reply.raw.closed || onDisconnect !== 'cancel') run(admitted, request, reply);
  } catch (error) {
    reply.send(error);
  }
}

/** Records whether anyone may send the request; returns the admitted request. */
function noted(admitted: Admitted, request: FastifyRequest): Admitted {
  request.isPublicCall = admitted.endpoint.auth === 'none';
  return admitted;
}

/** Counts a call against the limit of its trigger, if it has one. Throws `rate_limited`. */
function countCall(
  admitted: Admitted,
  request: FastifyRequest,
  reply: FastifyReply,
  key: string | undefined,
): Promise<void> | undefined {
  const { rate, route } = admitted.endpoint;
  if (rate === undefined || request.raw.method === 'HEAD') return undefined;
  admitted.limited = true;
  const { flow, node } = route;
  const limited = { kind: 'trigger', id: `${flow.id} ${node}`, of: flow.id, rate } as const;
  return addCounted(reply, request.server.rates.count(limited, sharerOf(rate.by, request, key)));
}

/** Only servers that count together may have to wait for the headers. */
function addCounted(
  reply: FastifyReply,
  headers: ReturnType<FastifyRequest['server']['rates']['countKey']>,
): Promise<void> | undefined {
  if (headers instanceof Promise) return headers.then((given) => addRateHeaders(reply, given));
  addRateHeaders(reply, headers);
  return undefined;
}

function after(waiting: Promise<void> | undefined, admitted: Admitted): Admitted | Promise<Admitted> {
  return waiting === undefined ? admitted : waiting.then(() => admitted);
}

/** The same for a signed call, whose signature is checked before. Returns the call. */
function countSigned(
  admitted: Admitted,
  request: FastifyRequest,
  reply: FastifyReply,
): Admitted | Promise<Admitted> {
  const { signed, endpoint } = admitted;
  if (signed === undefined || endpoint.rate === undefined) return admitted;
  checkSigned(admitted, request);
  admitted.signed = { ...signed, check: () => {} };
  return after(countCall(admitted, request, reply, undefined), admitted);
}

/** Bodies are read by the rules of the trigger that the request was admitted to. */
function readBodiesBy(app: FastifyInstance, files: Files | undefined): void {
  app.decorateRequest(ADMITTED, undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    triggerBodies((request) => {
      const { endpoint } = request[ADMITTED] as Admitted;
      return { endpoint, read: handedOver(request.raw).body };
    }, files),
  );
}
