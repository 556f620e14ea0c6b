import { useState } from 'react';
import type { ProviderTrial } from '#shared/model-provider.ts';
import { ApiError } from '../api/client.ts';
import { tryProvider } from '../api/models.ts';

/** Sends a provider a short question, to see whether address, key and name are right. */
export function useTrial(id: string) {
  const [trial, setTrial] = useState<ProviderTrial>();
  const [busy, setBusy] = useState(false);

  async function attempt(): Promise<void> {
    setBusy(true);
    setTrial(undefined);
    setTrial(await tryProvider(id).catch(failed));
    setBusy(false);
  }
  return { trial, busy, attempt };
}

/** A trial that could not be made is reported as a failed one. */
function failed(error: unknown): ProviderTrial {
  const { code, message } = error instanceof ApiError ? error : { code: 'internal', message: String(error) };
  return { ok: false, model: '', ms: 0, error: { code, message } };
}
