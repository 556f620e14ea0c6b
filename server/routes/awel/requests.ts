import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { readPart } from '../../requests/read-part.ts';
import { AwelFlow, unwrapped } from '../../awel/awel-flow.ts';
import type { WriteOptions } from '../../awel/awel-flows.ts';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

export const WriteQuery = z.object({
  open_triggers: z
    .stringbool()
    .default(false)
    .describe('Whether triggers that anyone may call stay open to all; else they ask for an API key.'),
});

export function uidOf({ params }: FastifyRequest): string {
  return (params as { uid: string }).uid;
}

/** The flow in a body; throws `invalid_request` with all that is wrong with it. */
export function readFlow(body: unknown): AwelFlow {
  return readPart(AwelFlow, unwrapped(body), 'body');
}

export function writeOptions(ctx: Context, request: FastifyRequest): WriteOptions {
  const { open_triggers: open } = readPart(WriteQuery, request.query, 'query');
  const caller = ctx.access.ofRequest(request);
  return {
    author: caller?.name ?? 'unknown',
    writer: caller?.owner ?? 'unknown',
    mayPublish: caller?.scopes.has('flows:publish') ?? false,
    open,
  };
}
