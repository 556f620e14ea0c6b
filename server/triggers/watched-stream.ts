import type { FastifyReply } from 'fastify';
import type { TriggerGate } from '../security/auth/gate.ts';
import type { Endpoint } from './endpoint.ts';
import { sendStream, streamLimits, type StreamSetup } from '../answers/stream-answer.ts';

/**
 * Sends a streamed answer. Where a key opened the trigger it ends when that is good no more: with an error in the stream, or,
 * where the run goes on without its caller, with the connection.
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
