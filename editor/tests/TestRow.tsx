import {
  CircleCheck,
  CircleDashed,
  CircleX,
  EllipsisVertical,
  type LucideIcon,
  PencilLine,
  Play,
  RotateCcw,
  Trash2,
} from 'lucide-react';
import { useId } from 'react';
import type { FlowTestResult } from '#shared/flow-test-api.ts';
import { Button } from '../ui/Button.tsx';
import { durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { Spinner } from '../ui/Spinner.tsx';
import { TestFailure } from './TestFailure.tsx';

interface TestRowProps {
  name: string;
  /** Undefined until it has run. */
  result: FlowTestResult | undefined;
  isRunning: boolean;
  onRun(update: boolean): void;
  onRename(): void;
  onDelete(): void;
}

const NOT_RUN: readonly [LucideIcon, string, string] = [CircleDashed, 'text-text-2', 'not run'];
const PASSED: readonly [LucideIcon, string, string] = [CircleCheck, 'text-ok', 'passed'];
const FAILED: readonly [LucideIcon, string, string] = [CircleX, 'text-bad', 'failed'];

/** One test: its result, and the differences if it failed. */
export function TestRow(props: TestRowProps) {
  const { name, result, isRunning, onRun } = props;
  const id = useId();
  const isRight = result?.passed || result?.updated;
  const [Icon, color, word] = result === undefined ? NOT_RUN : isRight ? PASSED : FAILED;
  return (
    <li aria-labelledby={`${id}n ${id}w`} className="px-2 py-1">
      <div className="flex min-h-6 items-center gap-2 text-xs">
        {isRunning ? (
          <Spinner label="Running" className="size-4" />
        ) : (
          <Icon aria-hidden className={`size-4 shrink-0 ${color}`} />
        )}
        <span id={`${id}n`} className="min-w-0 flex-1 truncate font-medium" title={name} translate="no">
          {name}
        </span>
        <span id={`${id}w`} className={`shrink-0 tabular-nums ${color}`}>
          {word}
          {result && ` · ${durationText(result.ms)}`}
        </span>
        {result && !isRight && (
          <Button size="sm" icon={RotateCcw} disabled={isRunning} onClick={() => onRun(true)}>
            Accept as expected
          </Button>
        )}
        <IconButton
          size="sm"
          icon={Play}
          label={`Run the test ${name}`}
          disabled={isRunning}
          onClick={() => onRun(false)}
        />
        <TestMenu {...props} />
      </div>
      {result && !isRight && <TestFailure result={result} />}
    </li>
  );
}

function TestMenu({ name, onRename, onDelete }: Pick<TestRowProps, 'name' | 'onRename' | 'onDelete'>) {
  const entries: MenuEntry[] = [
    { id: 'rename', label: 'Rename…', icon: PencilLine, onSelect: onRename },
    { id: 'separator', separator: true },
    { id: 'delete', label: 'Delete…', icon: Trash2, danger: true, onSelect: onDelete },
  ];
  return (
    <Menu
      trigger={<IconButton size="sm" icon={EllipsisVertical} label={`Actions for the test ${name}`} />}
      entries={entries}
    />
  );
}
