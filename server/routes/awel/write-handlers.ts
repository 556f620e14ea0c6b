import { audit } from '../../security/audit.ts';
import type { Context } from '../context.ts';
import { ok } from '../../http/envelope.ts';
import { ServiceError } from '../../errors/errors.ts';
import type { AwelFlow } from '../../awel/awel-flow.ts';
import type { AwelFlows } from '../../awel/awel-flows.ts';
import { type Handler, readFlow, uidOf, writeOptions } from './requests.ts';

export function writeHandlers(ctx: Context, flows: AwelFlows) {
  return {
    async create(request) {
      const saved = await flows.create(readFlow(request.body), writeOptions(ctx, request));
      audit(ctx, request, 'flow made', { flow: saved.uid, state: saved.state });
      return ok(saved);
    },
    async update(request) {
      const uid = uidOf(request);
      const awel = readFlow(request.body);
      await assertSame(flows, uid, awel);
      const saved = await flows.update(uid, awel, writeOptions(ctx, request));
      audit(ctx, request, 'flow changed', { flow: saved.uid, state: saved.state });
      return ok(saved);
    },
    async remove(request) {
      const document = await flows.find(uidOf(request));
      // What serves is taken down only by who may put it up.
      if (ctx.flows.live(document.id)) ctx.access.require(request, 'flows:publish');
      await flows.remove(document);
      audit(ctx, request, 'flow removed', { flow: document.id });
      return ok(flows.show(document));
    },
  } satisfies Record<string, Handler>;
}

/** The original goes by the uid in the body; one that names another flow than the address is a mistake. */
async function assertSame(flows: AwelFlows, uid: string, awel: AwelFlow): Promise<void> {
  if (!awel.uid || awel.uid === uid) return;
  const [one, other] = await Promise.all([flows.find(uid), flows.find(awel.uid).catch(() => undefined)]);
  if (one.id === other?.id) return;
  const message = `The address names the flow ${uid}, the body ${awel.uid}; send the same \`uid\`, or none.`;
  throw new ServiceError('invalid_request', message, { param: 'uid' });
}
