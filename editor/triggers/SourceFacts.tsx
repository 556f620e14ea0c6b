import { type ReactNode, useEffect, useState } from 'react';
import type { Source } from '#shared/package-api.ts';
import { listSources } from '../api/operate.ts';
import { useEditor, useSync } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { countText } from '../ui/format.ts';
import { useNow } from '../ui/use-now.ts';
import { HookFacts } from './HookFacts.tsx';
import { sourceState } from '../ui/source-state.ts';
import { Moment } from '../ui/Moment.tsx';

const LOOK_MS = 3000;

/** Whether a trigger that starts runs by itself does so, and what it did last. */
export function SourceFacts({ id }: { id: string }) {
  const isCalled = useEditor(({ catalog, doc }) => {
    const operator = doc.flow.nodes[id]?.operator ?? '';
    return catalog.operators[operator]?.called !== undefined;
  });
  return isCalled ? <HookFacts id={id} /> : <Listener id={id} />;
}

function Listener({ id }: { id: string }) {
  const flow = useEditor((state) => state.doc.flow.id);
  const operator = useEditor((state) => state.doc.flow.nodes[id]?.operator);
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
  const source = sources?.find((one) => one.flow === flow && one.node === id && one.operator === operator);
  if (version === undefined)
    return (
      <NotListening>
        It listens when the flow is live. Runs that you start by hand get the input that you give.
      </NotListening>
    );
  if (sources !== undefined && source === undefined)
    return (
      <NotListening>
        The live version does not listen here: this trigger is new in your draft, or it is disabled.
      </NotListening>
    );
  return source && <Facts source={source} now={now} />;
}

function NotListening({ children }: { children: ReactNode }) {
  return <p className="text-xs text-text-2">{children}</p>;
}

function Facts({ source, now }: { source: Source; now: number }) {
  const { state, lastLookAt, lastItemAt, started, failures, problem, nextTryAt } = source;
  const { tone, icon, text } = sourceState(source);
  return (
    <div className="flex flex-col gap-2 text-xs text-text-2">
      {/* Without the times, which change by the second and would be read out each time. */}
      <div role="status" aria-label="State of the source" className="flex flex-col items-start gap-2">
        <Badge tone={tone} icon={icon}>
          {text}
        </Badge>
        {problem && (
          <p className="wrap-anywhere text-bad">
            {failures > 1 && `${failures} times in a row: `}
            {problem.message} <code className="font-mono">{problem.code}</code>
          </p>
        )}
      </div>
      {state === 'elsewhere' ? (
        <p>Another server listens, or WEFT_SCHEDULES is off.</p>
      ) : (
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
          {nextTryAt !== undefined && <Fact name="Next attempt">{untilText(nextTryAt, now)}</Fact>}
          <Fact name={problem ? 'Last success' : 'Last look'}>
            <Moment at={lastLookAt} now={now} otherwise="none since it began to listen" />
          </Fact>
          <Fact name="Last item">
            <Moment at={lastItemAt} now={now} otherwise="none since it began to listen" />
            {started > 0 && `; ${countText(started, 'run')} since it began to listen`}
          </Fact>
        </dl>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="text-text">{children}</dd>
    </>
  );
}

function untilText(at: string, now: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(at) - now) / 1000));
  return seconds === 0 ? 'now' : `in ${seconds} s`;
}
