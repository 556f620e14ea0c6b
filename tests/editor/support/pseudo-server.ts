import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inPseudo } from './pseudo-locale.ts';

/**
 * Loaded in front of a server (`SERVER_IN_PSEUDO`), it puts the pages that the server draws into the pseudo-locale: forms, questions,
 * chats, sign-ins, errors.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));

const PAGES =
  /^server\/(base\/pages|api\/forms|execution\/waits)\/|^server\/api\/routes\/(root-pages|[a-z]+-page|sign-ins)\.ts$|^shared\/(wait-form\.ts|fault-sentences\.ts|errors\/)|^engine\/flow\/issue-sentence\.ts$/;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.startsWith('file:')) return loaded;
    const path = relative(root, fileURLToPath(url)).replaceAll('\\', '/');
    if (!PAGES.test(path) || !loaded.source) return loaded;
    const { source } = loaded;
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
    return { ...loaded, source: inPseudo(path, text) };
  },
});
