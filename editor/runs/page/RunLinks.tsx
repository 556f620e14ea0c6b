import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunSummary } from '#shared/run-event.ts';
import { getRun } from '../../api/runs.ts';
import { spacesQuery } from '../../knowledge/queries.ts';
import { NodeName } from '../../lists/NodeName.tsx';
import { recordOf } from '../../model/form/schema-shapes.ts';
import { runSubject } from '../../model/run-subject.ts';
import { useRunNames } from '../../session/use-flow-names.ts';
import { agoText, clockText } from '../../ui/format.ts';
import { SOURCE_LABELS } from '../run-labels.ts';

interface RunLinksProps {
  run: RunSummary;
  input: unknown;
  /** The earlier run whose outputs it used. */
  reused: string | undefined;
}

const link = 'text-accent-strong underline';

/** Where a run came from, and what it belongs to. */
export function RunLinks({ run: summary, input, reused }: RunLinksProps) {
  const { run, startedAt, source, parent, parentNode, version, server } = summary;
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 rounded-lg border border-line bg-surface p-3 text-xs sm:grid-cols-[max-content_1fr_max-content_1fr] [&>dt]:text-text-2">
      <Fact name="Started">
        <time dateTime={new Date(startedAt).toISOString()}>
          {new Date(startedAt).toLocaleDateString()} {clockText(startedAt).slice(0, 8)}, {agoText(startedAt)}
        </time>
      </Fact>
      <Fact name="Started by">{SOURCE_LABELS[source]}</Fact>
      <Subject run={summary} />
      {parent !== undefined && (
        <Fact name="Called by">
          <Link to="/runs/$id" params={{ id: parent }} className={link}>
            Another run
          </Link>
          {parentNode !== undefined && <CallingNode run={parent} node={parentNode} />}
        </Fact>
      )}
      {reused !== undefined && (
        <Fact name="Continues">
          <Link to="/runs/$id" params={{ id: reused }} className={link}>
            An earlier run
          </Link>
        </Fact>
      )}
      <Input input={input} source={source} />
      {server !== undefined && <Fact name="Server">{server}</Fact>}
      <Fact name="Version">
        <code>{version.slice(0, 8)}</code>
      </Fact>
      <Fact name="Id">
        <code className="wrap-anywhere">{run}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

/** The node that called it, once the run of that node is known. */
function CallingNode({ run, node }: { run: string; node: string }) {
  const { data } = useQuery({ queryKey: ['run', run], queryFn: () => getRun(run), retry: false });
  if (!data) return null;
  return (
    <>
      , at{' '}
      <bdi>
        <NodeName flow={data.flow} node={node} />
      </bdi>
    </>
  );
}

/** The flow, the app, the space that it is a run of. */
function Subject({ run: { flow, run } }: { run: RunSummary }) {
  const name = useRunNames([flow])(flow);
  const { kind, of } = runSubject(flow);
  const isSpace = kind === 'knowledge' || kind === 'load';
  const spaces = useQuery({ ...spacesQuery, enabled: isSpace });
  if (kind === 'flow') {
    return (
      <Fact name="Flow">
        <Link to="/flows/$id" params={{ id: of }} search={{ run }} className={link}>
          <bdi>{name}</bdi>
        </Link>
      </Fact>
    );
  }
  if (kind === 'app') {
    return (
      <Fact name="App">
        <Link to="/apps/$code" params={{ code: of }} className={link}>
          <bdi>{name}</bdi>
        </Link>
      </Fact>
    );
  }
  const space = isSpace ? spaces.data?.find((one) => one.name === of) : undefined;
  if (!space) return <Fact name="Of">{name}</Fact>;
  return (
    <Fact name="Knowledge">
      <Link to="/knowledge/$space" params={{ space: space.id }} className={link}>
        <bdi>{space.name}</bdi>
      </Link>
    </Fact>
  );
}

/** The conversation of a chat, the document of a load: their runs get them as part of the input. */
function Input({ input, source }: { input: unknown; source: RunSummary['source'] }) {
  const given = recordOf(input);
  const conversation = given?.['conversation'];
  const document = given?.['document'];
  if (source === 'chat' && typeof conversation === 'string' && conversation !== '') {
    return (
      <Fact name="Conversation">
        <Link to="/chat" search={{ conversation }} className={link}>
          Open the chat
        </Link>
      </Fact>
    );
  }
  if (source !== 'knowledge' || typeof document !== 'string') return null;
  return (
    <Fact name="Document">
      <Link to="/knowledge/documents/$document" params={{ document }} className={link}>
        <bdi>{typeof given?.['name'] === 'string' ? given['name'] : document}</bdi>
      </Link>
    </Fact>
  );
}
