import type { FastifyReply } from 'fastify';
import type { TriggerGate } from '../security/auth/gate.ts';
import type { Endpoint } from './endpoint.ts';
import { sendStream, streamLimits, type StreamSetup } from '../answers/stream-answer.ts';

/**
 * Sends a streamed answer. If a key opened the trigger, the stream ends when the key is revoked or expires: with an
 * error in the stream, or, if the run continues without its caller, with the connection.
 */
export async function sendWhileOpen(
  reply: FastifyReply,
  setup: StreamSetup,
  endpoint: Endpoint,
  gate: Pick<TriggerGate, 'isOpen'> | undefined,
): Promise<void> {
  if (gate === undefined || endpoint.auth !== 'api-key') return sendStream(reply, setup);
  const watch = setInterval(() => {
    if (gate.isOpen(endpoint, reply.request.raw)) return;
    if (setup.continues) reply.raw.destroy();
    else setup.run.cancel('stop');
  }, streamLimits.pingMs).unref();
  try {
    return await sendStream(reply, setup);
  } finally {
    clearInterval(watch);
  }
}
