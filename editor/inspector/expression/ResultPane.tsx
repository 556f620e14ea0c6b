import { CircleX, Info } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { ScopeSource } from '../../form/form-model.ts';
import { usePreview } from '../../form/use-preview.ts';
import type { Preview } from '../../model/expression/expression-preview.ts';
import { withExamples } from '../../model/expression/stand-ins.ts';
import { ValueView } from '../../runs/ValueView.tsx';
import { ProseText } from '../../ui/ProseText.tsx';
import { sectionTitle } from '../../ui/styles.ts';
import { changed } from './use-items.ts';

interface ResultPaneProps {
  text: string;
  isText: boolean;
  scope: ScopeSource;
}

/** The result of the expression with the values of the run on the canvas, otherwise with examples from the schemas. */
export function ResultPane({ text, isText, scope }: ResultPaneProps) {
  const preview = usePreview(text, scope);
  const examples = useMemo(() => changed(scope, withExamples), [scope]);
  const isUnknown = preview.kind === 'missing' && preview.needs === undefined;
  const example = usePreview(isUnknown ? text : '', examples);
  const isExample = isUnknown && example.kind === 'value';
  const shown = isExample ? example : preview;
  return (
    <section aria-label="Result" className="flex max-h-[45%] min-h-28 flex-col gap-1">
      <div className="flex min-h-5 items-baseline gap-2">
        <h3 className={sectionTitle}>Result</h3>
        <span className="text-xs text-text-2">{wordsOf(shown, isExample)}</span>
      </div>
      <div className="min-h-0 flex-1 overflow-auto rounded-md bg-surface-2 px-2 py-1.5">
        <Shown preview={shown} text={text} isText={isText} />
      </div>
    </section>
  );
}

function wordsOf(shown: Preview, isExample: boolean): string {
  if (isExample) return 'With example values: the last run has none here.';
  return shown.kind === 'value' ? 'With the values of the last run.' : '';
}

function Shown({ preview, text, isText }: { preview: Preview; text: string; isText: boolean }) {
  switch (preview.kind) {
    case 'value':
      return <ValueView source={{ value: preview.value }} label="Result" />;
    case 'plain':
      if (text === '') return <Line icon={<Info {...small} />}>Nothing is written yet.</Line>;
      if (!isText)
        return <Line icon={<Info {...small} />}>A fixed text: an expression stands in double braces.</Line>;
      return <ValueView source={{ value: text }} label="Result" />;
    case 'missing':
      return (
        <Line icon={<Info {...small} />}>
          <ProseText text={preview.message} />
        </Line>
      );
    case 'error':
      return (
        <Line icon={<CircleX {...small} />} isBad>
          {/* Mistakes of grammar and names stand below the expression, with their places. */}
          <ProseText
            text={
              preview.code.startsWith('expression-')
                ? 'Correct the mistakes to see the result.'
                : preview.message
            }
          />
        </Line>
      );
  }
}

const small = { 'aria-hidden': true, className: 'mt-0.5 size-3.5 shrink-0' } as const;

function Line({ icon, isBad = false, children }: { icon: ReactNode; isBad?: boolean; children: ReactNode }) {
  return (
    <p className={`flex items-start gap-1.5 text-xs ${isBad ? 'text-bad' : 'text-text-2'}`}>
      {icon}
      <span className="min-w-0">{children}</span>
    </p>
  );
}
