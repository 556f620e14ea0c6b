import { Download, File as FileIcon } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { filesIn, type ShownFile } from '../model/form/files-in.ts';
import { Button } from '../ui/Button.tsx';
import { bytesText } from '../ui/format.ts';

const CodeText = lazy(() => import('../ui/CodeText.tsx'));
const CsvTable = lazy(() => import('./CsvTable.tsx'));

/** Pictures that every browser shows, and how much of a text is shown. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const TEXT = /^text\/|json|xml|yaml|csv/;
const CSV = /^text\/(?:csv|tab-separated-values)$/;
const TEXT_BYTES = 20_000;

/** The files in a value, with previews and downloads. `run` is the run that they belong to. */
export function FileCards({ value, run }: { value: unknown; run: string | undefined }) {
  const files = filesIn(value);
  if (files.length === 0 || run === undefined) return null;
  return (
    <ul className="flex flex-col gap-1" aria-label="Files">
      {files.map((file) => (
        <FileCard key={file.$file} file={file} href={`/api/v1/runs/${run}/files/${file.$file}`} />
      ))}
    </ul>
  );
}

function FileCard({ file: { name, type, bytes }, href }: { file: ShownFile; href: string }) {
  return (
    <li className="flex flex-col gap-1.5 rounded-md border border-line bg-surface-2 p-1.5">
      <div className="flex min-w-0 items-center gap-2">
        <FileIcon aria-hidden className="size-4 shrink-0 text-text-2" />
        <div className="min-w-0 flex-1">
          <p className="truncate text-xs font-medium" title={name}>
            {name}
          </p>
          <p className="truncate text-xs text-text-2">
            {bytesText(bytes)} · {type}
          </p>
        </div>
        <a
          href={href}
          download={name}
          aria-label={`Download ${name}`}
          className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-text-2 hover:bg-surface-3 hover:text-text"
        >
          <Download aria-hidden className="size-3.5" />
        </a>
      </div>
      {PICTURE.test(type) && (
        <img
          src={href}
          alt={`Preview of ${name}`}
          loading="lazy"
          className="max-h-40 max-w-full self-start rounded-sm border border-line object-contain"
        />
      )}
      {TEXT.test(type) && bytes > 0 && (
        <TextPreview name={name} href={href} isCut={bytes > TEXT_BYTES} isTable={CSV.test(type)} />
      )}
    </li>
  );
}

interface TextPreviewProps {
  name: string;
  href: string;
  /** Only its beginning is shown. */
  isCut: boolean;
  isTable: boolean;
}

function TextPreview({ name, href, isCut, isTable }: TextPreviewProps) {
  const [view, setView] = useState<'text' | 'table'>();
  const isOpen = view !== undefined;
  const [text, setText] = useState<string>();
  useEffect(() => {
    if (!isOpen || text !== undefined) return undefined;
    const gone = new AbortController();
    const headers = { range: `bytes=0-${TEXT_BYTES - 1}` };
    fetch(href, { headers, signal: gone.signal, credentials: 'same-origin' })
      .then(async (answer) => setText(answer.ok ? await answer.text() : 'The file is no longer stored.'))
      .catch(() => !gone.signal.aborted && setText('The server cannot be reached.'));
    return () => gone.abort();
  }, [isOpen, text, href]);
  return (
    <>
      <div className="flex flex-wrap gap-1">
        {(isTable ? (['table', 'text'] as const) : (['text'] as const)).map((one) => (
          <Button
            key={one}
            size="sm"
            variant="ghost"
            aria-expanded={view === one}
            onClick={() => setView(view === one ? undefined : one)}
          >
            {view === one ? `Hide the ${one}` : `Show the ${one}`}
          </Button>
        ))}
      </div>
      {text !== undefined && (
        <Suspense fallback={null}>
          {view === 'text' && (
            <CodeText text={isCut ? `${text}\n…` : text} label={`Beginning of ${name}`} language="text" />
          )}
          {view === 'table' && <CsvTable text={text} isCut={isCut} name={name} />}
        </Suspense>
      )}
    </>
  );
}
