import { createOutbound } from '../../../../../base/outbound/outbound.ts';
import { createRedactor } from '../../../../../base/secrets/redactor.ts';
import { openWeftSql } from '../../../../../storage/database/weft-tables.ts';
import { createAccessTokens } from '../access.ts';
import { settings } from '../settings.ts';
import { createSigners } from '../signer.ts';
import { createTokenStore } from '../token-store.ts';

/** Milliseconds that the lock of a killed refresh lives. */
const HOLD_MS = 400;

/** The tokens of a server on a data folder, and a connection to the provider at this address. */
export function openTokens(data: string, provider: string) {
  const sql = openWeftSql(data);
  const http = createOutbound({ allow: ['127.0.0.1'] });
  const sealer = { seal: (text: string) => text, unseal: (text: string) => text };
  const store = createTokenStore({ sql, sealer, redactor: createRedactor(), now: Date.now });
  const signerOf = createSigners({ http, now: Date.now });
  const own = settings.parse({
    clientId: 'weft',
    tokenUrl: `${provider}/token`,
    address: `${provider}/api`,
    clientAuth: 'none',
    timeoutMs: 5000,
  });
  const tokens = createAccessTokens({ store, signerOf, now: Date.now, holdMs: HOLD_MS });
  const close = async (): Promise<void> => {
    await sql.close();
    await http.close();
  };
  return { store, tokens, wanted: { name: 'one', settings: own }, close };
}

/** As a program: refreshes as soon as a line comes, to be killed meanwhile. */
if (import.meta.main) {
  const [, , data = '', provider = ''] = process.argv;
  const { tokens, wanted } = openTokens(data, provider);
  process.stdin.once('data', () => {
    void tokens.get(wanted, new AbortController().signal).then(
      ({ token }) => process.stdout.write(`${token}\n`),
      (error: Error) => process.stdout.write(`${error.message}\n`),
    );
  });
  process.stdout.write('ready\n');
}
