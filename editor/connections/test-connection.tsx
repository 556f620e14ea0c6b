import { useState } from 'react';
import type { ConnectionTest } from '#shared/connection.ts';
import { testConnection } from '../api/connections.ts';
import { ProseText } from '../ui/ProseText.tsx';

/** What a test of a connection has shown. */
export function TestText({ result: { ok, about, ms, error } }: { result: ConnectionTest }) {
  return (
    <p role="status" className={`text-xs wrap-anywhere ${ok ? 'text-ok' : 'text-bad'}`}>
      {ok ? (
        `It works: ${about ?? 'answered'} (${ms} ms)`
      ) : (
        <ProseText text={error?.message ?? 'It failed.'} />
      )}
    </p>
  );
}

/** Tests a connection when it is asked to; a test that does not reach the server has failed too. */
export function useTest(name: string) {
  const [result, setResult] = useState<ConnectionTest>();
  const [busy, setBusy] = useState(false);
  async function attempt(): Promise<void> {
    setBusy(true);
    try {
      setResult(await testConnection(name));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      setResult({ ok: false, ms: 0, error: { code: '', message } });
    }
    setBusy(false);
  }
  return { result, busy, attempt };
}
