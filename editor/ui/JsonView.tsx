import { Download } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { Button } from './Button.tsx';
import { CopyButton } from './CopyButton.tsx';
import { downloadText } from './download.ts';
import { bytesText } from './format.ts';
import { JsonTree, type JsonTreeProps, largeOf } from './JsonTree.tsx';
import { Spinner } from './Spinner.tsx';

const CodeText = lazy(() => import('./CodeText.tsx'));

/** Characters of JSON up to which a value is shown as a tree, and up to which it is shown whole. */
const TREE_LIMIT = 200_000;
const WHOLE_LIMIT = 5_000_000;
/** Number of characters shown of the start and the end of a larger value. */
const PART = 100_000;

interface JsonViewProps extends Omit<JsonTreeProps, 'value' | 'label'> {
  value: unknown;
  /** Its name; read out, and used as the name of a downloaded file. */
  label: string;
  /** A text that is shown as text, not as a JSON string. */
  asText?: boolean;
}

/** Any value: a tree, the text if it is large, start and end if it is huge. Never injects HTML. */
export function JsonView({ value, label, asText = false, ...pick }: JsonViewProps) {
  const plain = asText && typeof value === 'string';
  const compact = useMemo(() => (plain ? value : (JSON.stringify(value) ?? '')), [value, plain]);
  if (value === undefined) return <p className="text-text-2">Nothing</p>;
  const isTree = !plain && compact.length <= TREE_LIMIT;
  return (
    <div className="flex min-h-0 min-w-0 flex-col gap-1">
      <div className="flex h-6 items-center gap-1 text-xs text-text-2">
        <span className="flex-1 truncate">{largeOf(value)?.size ?? bytesText(compact.length)}</span>
        {compact.length <= WHOLE_LIMIT && (
          <CopyButton label={`Copy ${label}`} text={plain ? compact : () => JSON.stringify(value, null, 2)} />
        )}
        {compact.length > TREE_LIMIT && (
          <Button
            size="sm"
            variant="ghost"
            icon={Download}
            onClick={() => downloadText(fileName(label), plain ? compact : JSON.stringify(value, null, 2))}
          >
            Download
          </Button>
        )}
      </div>
      {isTree ? (
        <JsonTree value={value} label={label} {...pick} />
      ) : (
        <LargeText text={compact} indent={!plain} value={value} label={label} />
      )}
    </div>
  );
}

interface LargeTextProps {
  text: string;
  /** Whether `value` must be written as indented JSON. */
  indent: boolean;
  value: unknown;
  label: string;
}

function LargeText({ text, indent, value, label }: LargeTextProps) {
  const isHuge = text.length > WHOLE_LIMIT;
  const shown = useMemo(() => {
    if (!isHuge) return indent ? JSON.stringify(value, null, 2) : text;
    const left = text.length - 2 * PART;
    return `${text.slice(0, PART)}\n\n… ${bytesText(left)} left out; download it to see all …\n\n${text.slice(-PART)}`;
  }, [text, value, indent, isHuge]);
  return (
    <Suspense fallback={<Spinner label={`Opening ${label}`} />}>
      {isHuge && (
        <p className="text-xs text-text-2">Too large to show whole: here are its start and its end.</p>
      )}
      <CodeText text={shown} label={label} language={indent && !isHuge ? 'json' : 'text'} />
    </Suspense>
  );
}

function fileName(label: string): string {
  return `${label.replaceAll(/[^\w-]+/g, '-').slice(0, 60) || 'value'}.json`;
}
