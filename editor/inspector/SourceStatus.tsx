import { CirclePause, Radio, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Source } from '#shared/package-api.ts';
import { call } from '../api/client.ts';
import { useEditor, useSync } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { agoText } from '../ui/format.ts';
import { useNow } from '../ui/use-now.ts';
import { Section } from './Section.tsx';

const LOOK_MS = 3000;

const listSources = (signal: AbortSignal): Promise<readonly Source[]> =>
  call(async () => (await import('../api/service-schemas.ts')).Sources, 'GET', '/api/v1/sources', { signal });

/** Whether a trigger that starts runs by itself does so, and what it did last. */
export function SourceStatus({ id }: { id: string }) {
  const flow = useEditor((state) => state.doc.flow.id);
  const version = useSync((sync) => sync.record.version);
  const [sources, setSources] = useState<readonly Source[]>();
  const now = useNow();
  useEffect(() => {
    if (version === undefined) return;
    const stop = new AbortController();
    const look = () => listSources(stop.signal).then(setSources, () => undefined);
    void look();
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [version]);
  const source = sources?.find((one) => one.flow === flow && one.node === id);
  if (version === undefined || (sources !== undefined && source === undefined))
    return (
      <Section title="Source">
        <p className="text-xs text-text-2">
          It listens when the flow is live. Runs that you start by hand get the input that you give.
        </p>
      </Section>
    );
  return <Section title="Source">{source && <Facts source={source} now={now} />}</Section>;
}

const STATES = {
  listening: { tone: 'ok', icon: Radio, text: 'Listening' },
  failed: { tone: 'bad', icon: TriangleAlert, text: 'Failed' },
  elsewhere: { tone: 'neutral', icon: CirclePause, text: 'Not on this server' },
} as const;

function Facts({ source, now }: { source: Source; now: number }) {
  const { tone, icon, text } = STATES[source.state];
  const { lastItemAt, started, failures, problem, nextTryAt } = source;
  const seconds = nextTryAt === undefined ? 0 : Math.max(0, Math.ceil((Date.parse(nextTryAt) - now) / 1000));
  return (
    <div className="flex flex-col gap-2 text-xs text-text-2" aria-live="polite">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={tone} icon={icon}>
          {text}
        </Badge>
        {source.state === 'listening' && (
          <span>
            {lastItemAt === undefined
              ? 'No new item since the server started.'
              : `Last item ${agoText(lastItemAt, now)}; ${started} ${started === 1 ? 'run' : 'runs'} since the server started.`}
          </span>
        )}
        {source.state === 'failed' && <span>Next attempt {seconds === 0 ? 'now' : `in ${seconds} s`}.</span>}
        {source.state === 'elsewhere' && <span>Another server listens, or WEFT_SCHEDULES is off.</span>}
      </div>
      {problem && (
        <p className="break-words text-bad">
          {failures > 1 && `${failures} times in sequence: `}
          {problem.message} <code className="font-mono">{problem.code}</code>
        </p>
      )}
    </div>
  );
}
