import type { ReactNode } from 'react';
import { AnswerBody } from '../AnswerBody.tsx';
import type { Result } from '../result-of.ts';

interface RunValuesProps {
  run: string;
  input: unknown;
  result: Result | undefined;
}

/** The input and the answer of a run. */
export function RunValues({ run, input, result }: RunValuesProps) {
  if (input === undefined && result === undefined) return null;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card title="Input">
        {input === undefined ? (
          <Nothing>It was not recorded.</Nothing>
        ) : (
          <AnswerBody value={input} run={run} label="Input" />
        )}
      </Card>
      <Card title="Answer">
        {result === undefined || result.isEmpty ? (
          <Nothing>{result ? 'It gave no answer.' : 'What its caller got was not recorded.'}</Nothing>
        ) : (
          <AnswerBody {...result} run={run} />
        )}
      </Card>
    </div>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="flex max-h-96 min-w-0 flex-col gap-2 overflow-y-auto rounded-lg border border-line bg-surface p-3"
    >
      <h2 className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function Nothing({ children }: { children: ReactNode }) {
  return <p className="text-text-2">{children}</p>;
}
