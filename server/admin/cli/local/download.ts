import { createOutbound, optionsOf } from '../../../base/outbound/outbound.ts';
import { MOST_FILE_BYTES } from '../../../flows/imports/import-files.ts';
import { type Io, UsageError } from '../io.ts';
import { readSettings } from './project.ts';
import { type Given, readBytes } from './read-import.ts';

const ASKER = { flow: '', version: '', run: '', node: '', operator: 'import' };

/** A file to import from an address, through the guarded client. Throws `UsageError` if it is not there. */
export async function download(address: string, io: Io): Promise<Given> {
  const outbound = createOutbound(optionsOf(readSettings(io)));
  const request = {
    method: 'GET',
    url: address,
    headers: { accept: 'application/json, */*' },
    body: undefined,
    redirects: 5,
    timeoutMs: 60_000,
    maxBytes: MOST_FILE_BYTES,
  };
  try {
    const { status, body } = await outbound.send(request, ASKER, io.stopSignal());
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    if (status !== 200) throw new UsageError(`${address} answers with the status ${status}.`);
    return readBytes(new URL(address).pathname, Buffer.concat(pieces));
  } finally {
    await outbound.close();
  }
}
