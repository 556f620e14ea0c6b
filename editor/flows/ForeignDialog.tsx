import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ImportAnswer, ImportReport, ImportWord } from '#shared/import-report.ts';
import { importFilesOf } from '../api/imports.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { countText } from '../ui/format.ts';
import { ProseText } from '../ui/ProseText.tsx';
import { Switch } from '../ui/Switch.tsx';
import { ForeignDrawing } from './ForeignDrawing.tsx';
import type { FileText } from './read-files.ts';
import { useAttempt } from './use-attempt.ts';

interface ForeignDialogProps {
  files: readonly FileText[];
  onClose(): void;
  /** The drafts are made. */
  onDone(ids: readonly string[]): void;
}

const TONES: Readonly<Record<ImportWord, Tone>> = {
  equal: 'ok',
  close: 'warn',
  needs: 'accent',
  placeholder: 'bad',
};

/** The flows that files of another product become, before anything is written. */
export function ForeignDialog({ files, onClose, onDone }: ForeignDialogProps) {
  const [open, setOpen] = useState(false);
  const attempt = useAttempt();
  const read = useQuery({
    queryKey: ['imports', files.map(({ name, text }) => `${name} ${text.length}`), open],
    queryFn: () => importFilesOf(files, { save: false, open }),
    gcTime: 0,
    retry: false,
  });
  const answer = read.data;
  const count = answer?.imports.length ?? 0;
  const save = (): void =>
    void attempt(async () => {
      const made = await importFilesOf(files, { save: true, open });
      onDone(made.imports.flatMap(({ report }) => report.flows));
    });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={answer ? titleOf(answer) : 'Reading the files …'}
      description={answer ? summaryOf(answer) : (read.error?.message ?? 'Nothing is written yet.')}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={count === 0} onClick={save}>
            {count > 1 ? `Make ${count} drafts` : 'Make a draft'}
          </Button>
        </>
      }
    >
      {answer && <Answer answer={answer} />}
      <div className="mt-3 flex items-center gap-2 text-sm">
        <Switch label="Keep triggers open" checked={open} onCheckedChange={setOpen} />
        Keep triggers open that anyone may call; otherwise they ask for an API key
      </div>
    </Dialog>
  );
}

/** One workflow of the files at a time, and what was left out. */
function Answer({ answer: { imports, left } }: { answer: ImportAnswer }) {
  const [shown, setShown] = useState(0);
  const one = imports[shown];
  return (
    <>
      {imports.length > 1 && (
        <label className="mb-2 flex items-center gap-2 text-sm">
          Workflow
          <select
            value={shown}
            onChange={(event) => setShown(Number(event.target.value))}
            className="h-7 min-w-0 flex-1 rounded border border-line bg-surface px-2"
          >
            {imports.map(({ report }, i) => (
              <option key={report.flows[0]} value={i}>
                {report.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {one && (
        <>
          <ForeignDrawing product={one.report.product} drawing={one.drawing} draft={one.drafts[0]} />
          <Report report={one.report} />
        </>
      )}
      <Listed title="Left out" items={left.map(({ file, message }) => `${file}: ${message}`)} />
    </>
  );
}

function titleOf({ imports, left }: ImportAnswer): string {
  const [first] = imports;
  if (first === undefined) return `${countText(left.length, 'file')} could not be read`;
  return imports.length === 1
    ? `“${first.report.name}” of ${first.report.product}`
    : `${imports.length} workflows of ${first.report.product}`;
}

function summaryOf({ summary }: ImportAnswer): string {
  const { flows, ready } = summary;
  if (flows === 0) return 'These files contain no flow.';
  if (flows === 1)
    return ready === 1
      ? 'It can run as soon as what it needs is set up. Nothing is saved yet.'
      : 'Some of it has to be done by hand. Nothing is saved yet.';
  return `${ready} of ${flows} can run as soon as what they need is set up. Nothing is saved yet.`;
}

function Report({ report }: { report: ImportReport }) {
  return (
    <>
      <Listed title="What to do" items={report.next} ordered />
      <h3 className="mt-3 mb-1 text-sm font-semibold">Nodes</h3>
      <table className="w-full text-left text-sm">
        <thead className="text-xs text-text-2">
          <tr>
            <th className="py-1 font-medium">There</th>
            <th className="font-medium">Fit</th>
            <th className="font-medium">Here</th>
          </tr>
        </thead>
        <tbody>
          {report.nodes.map(({ name, type, word, nodes, into, difference, offers }) => (
            <tr key={name} className="border-t border-line align-top">
              <td className="py-1 pr-2 break-words">
                {name}
                <span className="block text-xs text-text-2">{type}</span>
              </td>
              <td className="py-1 pr-2">
                <Badge tone={TONES[word]}>{word}</Badge>
              </td>
              <td className="py-1 break-words">
                <code className="text-xs">{nodes.length > 0 ? nodes.join(', ') : into}</code>
                {word !== 'equal' && difference !== undefined && (
                  <span className="block text-xs text-text-2">
                    <ProseText text={difference} />
                  </span>
                )}
                {offers && offers.length > 0 && (
                  <span className="block text-xs text-text-2">
                    <ProseText text={`Nearest: ${offers.join(', or ')}.`} />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Listed
        title="Changed or lost"
        items={report.changes.map(
          ({ effect, what, node, message }) =>
            `${effect} ${what}${node === undefined ? '' : ` of “${node}”`}: ${message}`,
        )}
      />
    </>
  );
}

function Listed({ title, items, ordered }: { title: string; items: readonly string[]; ordered?: boolean }) {
  if (items.length === 0) return null;
  const List = ordered ? 'ol' : 'ul';
  return (
    <section className="mt-3" aria-label={title}>
      <h3 className="mb-1 text-sm font-semibold">{title}</h3>
      <List className={ordered ? 'list-decimal pl-5 text-sm' : 'list-disc pl-5 text-sm'}>
        {[...new Set(items)].map((item) => (
          <li key={item} className="break-words">
            <ProseText text={item} />
          </li>
        ))}
      </List>
    </section>
  );
}
