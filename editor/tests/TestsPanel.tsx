import { FlaskConical } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Loaded } from '../session/Loaded.tsx';
import { EmptyPanel, EmptyState } from '../ui/EmptyState.tsx';
import { KeepTest, useKeptRun } from './KeepTest.tsx';
import { TestRow } from './TestRow.tsx';
import { TestToolbar } from './TestToolbar.tsx';
import { useTests } from './use-tests.ts';
import { removeTest, renameTest } from '../api/flow-tests.ts';
import { useChange } from '../session/use-change.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { TextDialog } from '../ui/TextDialog.tsx';

const KeepCaseDialog = lazy(() =>
  import('../evaluations/KeepCaseDialog.tsx').then((file) => ({ default: file.KeepCaseDialog })),
);

const GenerateTests = lazy(() =>
  import('./GenerateTests.tsx').then((file) => ({ default: file.GenerateTests })),
);

type Asked =
  | { readonly kind: 'keep' | 'case' | 'generate' }
  | { readonly kind: 'rename' | 'delete'; readonly name: string };

/** The tests of the flow: run, created from runs, updated; and their coverage. */
export function TestsPanel() {
  const tests = useTests();
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  const run = useKeptRun();
  const { flow, list, report, running } = tests;
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <Loaded query={list} what="the tests">
        {({ file, cases }) => (
          <>
            <TestToolbar
              count={cases.length}
              report={report}
              isRunning={running !== undefined}
              keep={run}
              onKeep={() => setAsked({ kind: 'keep' })}
              onKeepCase={() => setAsked({ kind: 'case' })}
              onGenerate={() => setAsked({ kind: 'generate' })}
              onRun={() => void tests.run({})}
            />
            {cases.length === 0 ? (
              <NoTests file={file} />
            ) : (
              <ul aria-label="Tests" className="min-h-0 flex-1 divide-y divide-line overflow-y-auto">
                {cases.map(({ name }) => (
                  <TestRow
                    key={name}
                    name={name}
                    result={report?.results.find((result) => result.name === name)}
                    isRunning={running !== undefined && running.names?.includes(name) !== false}
                    onRun={(update) => void tests.run({ names: [name], update })}
                    onRename={() => setAsked({ kind: 'rename', name })}
                    onDelete={() => setAsked({ kind: 'delete', name })}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
      <Suspense fallback={null}>
        {asked && <Dialogs flow={flow} asked={asked} run={run.id} onClose={close} />}
      </Suspense>
    </div>
  );
}

interface DialogsProps {
  flow: string;
  asked: Asked;
  /** The run that can be kept. */
  run: string | undefined;
  onClose(): void;
}

function Dialogs({ flow, asked, run, onClose }: DialogsProps) {
  switch (asked.kind) {
    case 'rename':
      return <RenameTest flow={flow} name={asked.name} onClose={onClose} />;
    case 'delete':
      return <DeleteTest flow={flow} name={asked.name} onClose={onClose} />;
    case 'generate':
      return <GenerateTests flow={flow} onClose={onClose} />;
    case 'keep':
      return run === undefined ? null : <KeepTest run={run} onClose={onClose} />;
    case 'case':
      return run === undefined ? null : <KeepCaseDialog target={{ flow }} kept={{ run }} onClose={onClose} />;
  }
}

function NoTests({ file }: { file: string }) {
  return (
    <EmptyPanel label="Tests">
      <EmptyState icon={FlaskConical} title="No tests yet">
        Run the flow, and keep the run as a test: from then on the test gives the same answers from outside,
        and expects the same outputs. Tests are in <code>{file}</code>; <code>weft test</code> runs them too.
      </EmptyState>
    </EmptyPanel>
  );
}

interface DeleteTestProps {
  flow: string;
  name: string;
  onClose(): void;
}

function DeleteTest({ flow, name, onClose }: DeleteTestProps) {
  const { busy, error, change } = useChange(['tests'], onClose);
  return (
    <ConfirmDialog
      title={`Delete the test “${name}”?`}
      description="It is removed from the flow’s test file."
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeTest(flow, name))}
      onClose={onClose}
    />
  );
}

interface RenameTestProps {
  flow: string;
  name: string;
  onClose(): void;
}

function RenameTest({ flow, name, onClose }: RenameTestProps) {
  const { busy, error, change } = useChange(['tests'], onClose);
  return (
    <TextDialog
      title="Rename the test"
      label="Name"
      value={name}
      action="Rename"
      busy={busy}
      error={error}
      onSubmit={(to) => void change(() => renameTest(flow, name, to))}
      onClose={onClose}
    />
  );
}
