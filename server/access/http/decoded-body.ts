import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ServiceError } from '../../base/errors/errors.ts';
import { CODINGS, decodersOf } from '../../base/outbound/body.ts';

/**
 * The body of a request, decompressed according to `content-encoding` as it is read: its reader limits the size, and so also a
 * small body that becomes a huge one. Its errors are coded. Throws `unsupported_media_type` for an unknown encoding.
 */
export function decodedBody(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding'] ?? '';
  const decoder = decodersOf(encoding);
  if (decoder === undefined)
    throw new ServiceError(
      'unsupported_media_type',
      `The body is encoded as ${encoding.slice(0, 100)}; send it without Content-Encoding, or as ${CODINGS.join(', ')}.`,
      { headers: { 'accept-encoding': CODINGS.join(', ') } },
    );
  return decoder === 'identity' ? request : Readable.from(decoded(request, decoder), { objectMode: false });
}

async function* decoded(
  request: IncomingMessage,
  { first, last }: Exclude<ReturnType<typeof decodersOf>, undefined | 'identity'>,
): AsyncGenerator<Buffer> {
  const onClose = (): void => void (request.complete || last.destroy(new Error('cut off')));
  request.once('close', onClose).pipe(first);
  try {
    for await (const piece of last) yield piece as Buffer;
  } catch {
    throw new ServiceError(
      'invalid_request',
      request.complete
        ? 'The body does not match its Content-Encoding.'
        : 'The body ended before its length.',
    );
  } finally {
    request.off('close', onClose).unpipe(first);
    // The rest of a refused body still has to arrive before the next request can.
    request.resume();
  }
}
