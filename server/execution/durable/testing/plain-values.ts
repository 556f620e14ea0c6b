import { createRedactor } from '../../../base/secrets/redactor.ts';
import { createValues, type Values } from '../values.ts';

const same = (text: string): string => text;

/** Values in memory, where nothing is secret. */
export function plainValues(): Values {
  const kept = new Map<string, string>();
  return createValues({
    redactor: createRedactor(),
    sealer: { seal: same, unseal: same },
    blobs: {
      put({ hash, json }) {
        kept.set(hash, json);
        return json.length;
      },
      get: (hash) => kept.get(hash),
      remove: (hash) => Number(kept.delete(hash)),
    },
  });
}
