import { Link } from '@tanstack/react-router';
import { CircleX } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { FlowDetail } from '#shared/api.ts';
import type { Problem } from '#shared/problem.ts';
import { parse } from '#engine/check';
import { saveFlow } from '../api/flows.ts';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { TextArea } from '../ui/Input.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { toast } from '../ui/toast.ts';
import { Logo } from '../session/Logo.tsx';

interface BrokenFileProps {
  detail: FlowDetail;
  onMended(): void;
}

/** A file that is not a valid flow cannot be drawn: shows its text and its problems, and lets people fix it here. */
export function BrokenFile({ detail, onMended }: BrokenFileProps) {
  const [text, setText] = useState(detail.text);
  const [busy, setBusy] = useState(false);
  const problems = useMemo(() => parse(text, { id: detail.id }).problems, [text, detail.id]);

  async function save(): Promise<void> {
    setBusy(true);
    try {
      await saveFlow(detail.id, text, detail.revision);
      onMended();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className="flex min-h-0 flex-1 flex-col">
      <header className="flex h-13 shrink-0 items-center gap-2 border-b border-line px-3">
        <Link to="/" aria-label="All flows" className="rounded-md p-1 hover:bg-surface-3">
          <Logo />
        </Link>
        <h1 className="min-w-0 flex-1 truncate font-semibold">{detail.file}</h1>
        <Button variant="primary" busy={busy} disabled={problems.length > 0} onClick={() => void save()}>
          Save and open
        </Button>
      </header>
      <div className="grid min-h-0 flex-1 grid-cols-1 lg:grid-cols-[1fr_24rem]">
        <TextArea
          mono
          aria-label="Text of the file"
          value={text}
          onValueChange={setText}
          className="h-full resize-none rounded-none border-0"
        />
        <ProblemList problems={problems} isServed={detail.version !== undefined} />
      </div>
    </main>
  );
}

function ProblemList({ problems, isServed }: { problems: readonly Problem[]; isServed: boolean }) {
  return (
    <section aria-label="Problems" className="overflow-y-auto border-l border-line bg-surface-2 p-4">
      <h2 className="font-semibold">This file cannot be drawn yet</h2>
      <p className="mt-1 text-text-2">
        {isServed ? 'The last good version stays live meanwhile.' : 'No version of it is live.'} Fix the text
        here or in your own editor.
      </p>
      <p className="mt-3 text-xs font-semibold" aria-live="polite">
        {problems.length === 0 ? 'No problems left: save it.' : countText(problems.length, 'problem')}
      </p>
      <ul className="mt-2 flex flex-col gap-2">
        {problems.map((problem, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: problems have no identity and no state
          <li key={i} className="flex gap-2">
            <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
            <span className="min-w-0 break-words">
              {problem.line !== undefined && (
                <span className="font-mono text-xs text-text-2">
                  line {problem.line}, column {problem.column ?? 1}:{' '}
                </span>
              )}
              <ProseText text={problem.message} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
