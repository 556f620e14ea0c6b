import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  DecideBody,
  EVENT_KEY,
  EVENT_NAME,
  EventAnswer,
  WaitInfo,
  WaitListQuery,
  WaitPage,
} from '#shared/wait.ts';
import { audit } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { idempotencyKeyOf } from '../../base/requests/read-part.ts';
import { type Decided, earlyFlow, refuseLost } from '../../execution/waits/wait-store.ts';
import { callerUploads } from '../../storage/file-store/held-values.ts';
import type { KeyId } from '../../storage/idempotency/idempotency-store.ts';
import type { Context } from './context.ts';
import { defineRoute } from './define-route.ts';

/** `/api/v1/waits`: questions of runs to people, and their decisions. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/waits',
    scope: 'runs:read',
    tag: 'Waits',
    summary: 'List the questions of runs to people, oldest first; by default only the open ones.',
    guide: 'waiting',
    query: () => WaitListQuery,
    answer: () => WaitPage,
    handle: ({ waits }, { query }) => waits.list(query),
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/waits/:id',
    scope: 'runs:read',
    tag: 'Waits',
    summary: 'Get a question of a run. Its id is `<run>.<node>`.',
    answer: () => WaitInfo,
    errors: ['wait_not_found'],
    async handle({ waits }, { params: { id } }) {
      const wait = await waits.get(id);
      if (!wait) throw new ServiceError('wait_not_found', `There is no wait ${JSON.stringify(id)}.`);
      return wait;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/waits/:id/decide',
    scope: 'runs:write',
    tag: 'Waits',
    summary:
      'Approve, reject or fill in. The first decision counts, and is on disk when this answers; it may arrive before the run asks.',
    guide: 'waiting',
    body: () => DecideBody,
    answer: () => WaitInfo,
    errors: ['wait_not_found', 'wait_decided', 'wait_expired', 'wait_void', 'wait_answer_invalid'],
    async handle(ctx, { request, params: { id }, body: { decision, comment, data } }) {
      const { waits, access } = ctx;
      const caller = access.require(request, 'runs:write');
      const { name: by, kind: via } = caller;
      const decided = { decision, comment, by, via, ...(data !== undefined && { data }) };
      const asked = await waits.get(id);
      if (asked) await refuseLost(ctx, asked);
      const early = asked ? undefined : await earlyFlow(ctx, id);
      // Before the decision, which may reach the run at once.
      const uploaded = await ctx.uploads.heldIn(data, callerUploads(caller));
      await ctx.files.give(uploaded, { kind: 'run', id: id.slice(0, id.indexOf('.')) });
      const wait = await waits.decide(id, decided, early);
      audit(ctx, request, 'wait decided', { wait: id, flow: wait.flow, decision });
      return wait;
    },
  }),
];

/** `POST /wait/<id>/call?token=…`: the address of a wait for a call. */
export const calls = [
  defineRoute({
    method: 'POST',
    url: '/wait/:id/call',
    scope: 'public',
    servedAt: 'triggers',
    tag: 'Waits',
    summary:
      'Answer a run that waits for this call. The address works once; a repeat with the same `Idempotency-Key` gets the same answer.',
    guide: 'waiting',
    body: () => z.unknown(),
    bodyOptional: true,
    answer: () => z.object({ received: z.literal(true) }),
    errors: [
      'forbidden',
      'idempotency_key_invalid',
      'wait_not_found',
      'wait_decided',
      'wait_expired',
      'wait_void',
      'wait_run_lost',
      'wait_answer_invalid',
    ],
    /** Strangers cannot make the server read a body. */
    async beforeBody({ waitLinks }, request) {
      const { id } = request.params as { id: string };
      const { token } = request.query as { token?: unknown };
      if (typeof token !== 'string' || !(await waitLinks.isToken(id, token)))
        throw new ServiceError(
          'forbidden',
          'This address is not complete: use the whole address as the flow sent it.',
        );
    },
    async handle(ctx, { request, params: { id }, body: data }) {
      const asked = await ctx.waits.get(id);
      if (asked) await refuseLost(ctx, asked);
      const early = asked ? undefined : await earlyFlow(ctx, id);
      const once = idempotencyKeyOf(request);
      const given = { ...receivedBy('a call', 'link', data), ...(once !== undefined && { once }) };
      const { flow } = await ctx.waits.decide(id, given, early);
      audit(ctx, request, 'wait decided', { wait: id, flow, decision: 'received' });
      return { received: true as const };
    },
  }),
];

/** `POST /api/v1/events/<name>/<key>`: what happens in other systems. */
export const events = [
  defineRoute({
    method: 'POST',
    url: '/api/v1/events/:name/:key',
    scope: 'runs:write',
    tag: 'Waits',
    summary:
      'Wake all runs that wait for this event, with the body as its data. An event that no run waits for is not kept. With an `Idempotency-Key`, a repeat within a day wakes nobody again and gets the same answer.',
    guide: 'waiting',
    body: () => z.unknown(),
    bodyOptional: true,
    answer: () => EventAnswer,
    errors: [
      'idempotency_key_invalid',
      'idempotency_mismatch',
      'idempotency_full',
      'idempotency_not_kept',
      'wait_answer_invalid',
    ],
    async handle(ctx, { request, reply, params: event, body: data }) {
      const { name: by, kind: via } = ctx.access.require(request, 'runs:write');
      checkEvent(event);
      const send = async (): Promise<EventAnswer> => {
        const answer = await ctx.waits.receive(event, receivedBy(by, via, data));
        for (const { id, flow } of answer.received)
          audit(ctx, request, 'wait decided', { wait: id, flow, decision: 'received' });
        return answer;
      };
      const key = idempotencyKeyOf(request);
      if (key === undefined) return accepted(await send());
      const id = { trigger: 'events', caller: `${via} ${by}`, key };
      return accepted(await onlyOnce(ctx, { id, reply, fingerprint: fingerprintOf(event, data) }, send));
    },
  }),
];

function receivedBy(by: string, via: Decided['via'], data: unknown): Decided {
  return { decision: 'received', by, via, comment: '', data };
}

function checkEvent({ name, key }: { readonly name: string; readonly key: string }): void {
  const wrong = !EVENT_NAME.test(name) ? 'name' : !EVENT_KEY.test(key) ? 'key' : undefined;
  if (wrong === undefined) return;
  const rule =
    wrong === 'name'
      ? 'starts with a letter and consists of letters, digits, _, . and -'
      : 'has 1 to 200 characters, none of which is a control character';
  throw new ServiceError('invalid_request', `The ${wrong} of an event ${rule}.`, { param: wrong });
}

/** Throws `wait_answer_invalid` if runs wait for the event, and none of them takes its data. */
function accepted(answer: EventAnswer): EventAnswer {
  const [first] = answer.refused;
  if (first === undefined || answer.received.length > 0) return answer;
  throw new ServiceError(
    'wait_answer_invalid',
    `The wait ${first.id} does not take the event: ${first.message}`,
  );
}

function fingerprintOf(event: object, data: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([event, data]))
    .digest('base64');
}

interface Once {
  readonly id: KeyId;
  readonly fingerprint: string;
  readonly reply: FastifyReply;
}

/**
 * The answer of the first request with the key. If that one was lost on its way, the event is sent again: no wait takes it
 * twice.
 */
async function onlyOnce(
  { idempotency }: Pick<Context, 'idempotency'>,
  { id, fingerprint, reply }: Once,
  send: () => Promise<EventAnswer>,
): Promise<EventAnswer> {
  const claim = await idempotency.claim(id, fingerprint, () => reply.raw.closed);
  if (claim.fingerprint !== fingerprint) throw new ServiceError('idempotency_mismatch');
  if (claim.answer !== undefined) {
    reply.header('idempotent-replayed', 'true');
    return JSON.parse(Buffer.from(claim.answer.body).toString()) as EventAnswer;
  }
  if (claim.state === 'not-kept') throw new ServiceError('idempotency_not_kept');
  try {
    const answer = await send();
    const body = Buffer.from(JSON.stringify(answer));
    await idempotency.answered(id, '', { status: 200, headers: [], body });
    return answer;
  } catch (error) {
    await idempotency.release(id);
    throw error;
  }
}
