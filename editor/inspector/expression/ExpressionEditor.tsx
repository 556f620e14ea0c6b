import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { CodeEditor } from '../../form/CodeEditor.tsx';
import type { ScopeSource } from '../../form/form-model.ts';
import { placeCursor } from '../../form/last-editor.ts';
import { templateFaults } from '../../model/expression/expression-preview.ts';
import type { LargeText } from '../../model/expression/expression-text.ts';
import { nodeIn } from '../../model/document/flat.ts';
import { titleOf } from '../../model/document/geometry.ts';
import { useEditor, useSession } from '../../session/session.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { matchesKeys } from '../../ui/keys.ts';
import type { DraggedPath } from '../../ui/path-drag.ts';
import { ProseText } from '../../ui/ProseText.tsx';
import { SegmentedControl } from '../../ui/SegmentedControl.tsx';
import { sectionTitle } from '../../ui/styles.ts';
import { MakesThings } from '../MakesThings.tsx';
import { NodeRounds } from '../NodeRounds.tsx';
import { scopeSource } from '../scope-source.ts';
import { FunctionsPane } from './FunctionsPane.tsx';
import { ItemPicker } from './ItemPicker.tsx';
import { ResultPane } from './ResultPane.tsx';
import { useItems, useScopeOfItem } from './use-items.ts';
import { ValuesPane } from './ValuesPane.tsx';

interface ExpressionEditorProps {
  node: string;
  of: LargeText;
  onClose(): void;
}

type Side = 'values' | 'functions';

/**
 * An expression with room: the values that it can read at its left, the functions at its right, and below it what it gives, for
 * each round and item. Escape leaves without a change.
 */
export function ExpressionEditor({ node, of, onClose }: ExpressionEditorProps) {
  const title = useEditor(({ doc, catalog }) => {
    const found = nodeIn(doc.flow, node);
    return found ? titleOf(found, catalog) : node;
  });
  const [text, setText] = useState(of.text);
  useFocusBack();
  const keep = (): void => {
    if (text !== of.text) of.keep(text);
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!matchesKeys('Mod+Enter', event)) return;
    event.preventDefault();
    event.stopPropagation();
    keep();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="full"
      focusField=".cm-content"
      title={`${of.title} of ${title}`}
      footer={
        <>
          <span className="mr-auto self-center text-xs text-text-2 max-sm:hidden">
            Escape leaves it as it was.
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={keep}>
            Keep <Kbd keys="Mod+Enter" />
          </Button>
        </>
      }
    >
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the key of the whole dialog */}
      <div data-expression-editor onKeyDown={onKeyDown} className="h-full min-h-0">
        <MakesThings>
          <Panes node={node} of={of} text={text} onChange={setText} />
        </MakesThings>
      </div>
    </Dialog>
  );
}

interface PanesProps {
  node: string;
  of: LargeText;
  text: string;
  onChange(text: string): void;
}

/** Side by side, or below each other on a narrow screen, where one of values and functions is shown. */
function Panes({ node, of, text, onChange }: PanesProps) {
  const session = useSession();
  const [side, setSide] = useState<Side>('values');
  const base = useMemo(() => scopeSource(session, node), [session, node]);
  const items = useItems(base, node);
  const [index, setIndex] = useState(0);
  const scope = useScopeOfItem(base, items, index);
  return (
    <div className="grid h-full min-h-0 grid-rows-[minmax(0,1fr)_auto_minmax(0,1fr)] gap-3 lg:grid-cols-[minmax(0,30fr)_minmax(0,42fr)_minmax(0,28fr)] lg:grid-rows-1">
      <Pane title="Values" isShown={side === 'values'} className="row-start-3 lg:col-start-1 lg:row-start-1">
        <ValuesPane scope={scope} />
      </Pane>
      <section
        aria-label="Expression"
        className="row-start-1 flex min-h-0 min-w-0 flex-col gap-2 lg:col-start-2"
      >
        <Text of={of} text={text} onChange={onChange} scope={scope} />
        <Faults text={text} scope={scope} />
        <div className="flex flex-wrap items-center gap-2">
          <NodeRounds id={node} />
          {items && <ItemPicker count={items.length} index={index} onChoose={setIndex} />}
        </div>
        <ResultPane text={text} isText={of.isText} scope={scope} />
      </section>
      <div className="row-start-2 lg:hidden">
        <SegmentedControl<Side>
          label="Beside the expression"
          value={side}
          onValueChange={setSide}
          options={[
            { value: 'values', label: 'Values' },
            { value: 'functions', label: 'Functions' },
          ]}
        />
      </div>
      <Pane
        title="Functions"
        isShown={side === 'functions'}
        className="row-start-3 lg:col-start-3 lg:row-start-1"
      >
        <FunctionsPane />
      </Pane>
    </div>
  );
}

function Text({ of, text, onChange, scope }: Omit<PanesProps, 'node'> & { scope: ScopeSource }) {
  const drop = ({ path, item }: DraggedPath, at: number, isInside: boolean): void => {
    const read = of.isLazy ? (item ?? path) : path;
    onChange(`${text.slice(0, at)}${isInside ? read : `{{ ${read} }}`}${text.slice(at)}`);
  };
  return (
    <div className="min-h-24 flex-1">
      <CodeEditor
        language="template"
        label={of.title}
        multiline
        fills
        value={text}
        onChange={onChange}
        placeholder="{{ … }}"
        scope={scope}
        cursor={firstPlace(of.text)}
        onDropPath={drop}
      />
    </div>
  );
}

/** The focus goes back to where it was: the text takes it before the dialog has noted that. */
function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) requestAnimationFrame(() => before.isConnected && before.focus());
    },
    [before],
  );
}

/** Inside of an empty expression, otherwise at the end. */
function firstPlace(text: string): number {
  return text === '{{  }}' ? 3 : text.length;
}

interface PaneProps {
  title: string;
  /** On a narrow screen, where one of both is shown. */
  isShown: boolean;
  className: string;
  children: React.ReactNode;
}

function Pane({ title, isShown, className, children }: PaneProps) {
  return (
    <section
      aria-label={title}
      className={`${className} flex min-h-0 min-w-0 flex-col gap-2 ${isShown ? '' : 'max-lg:hidden'}`}
    >
      <h3 className={`${sectionTitle} max-lg:sr-only`}>{title}</h3>
      {children}
    </section>
  );
}

/** The mistakes, each as a sentence; a click goes to its place. */
function Faults({ text, scope }: { text: string; scope: ScopeSource }) {
  const checked = useDeferredValue(text);
  const faults = useMemo(() => templateFaults(checked, scope.current()), [checked, scope]);
  if (faults.length === 0) return null;
  return (
    <ul aria-label="Mistakes" className="flex max-h-24 flex-col gap-1 overflow-y-auto text-xs text-bad">
      {faults.map(({ offset, message }) => (
        <li key={`${offset} ${message}`} className="flex items-baseline gap-2">
          <button
            type="button"
            className="shrink-0 cursor-default rounded-sm underline-offset-2 hover:underline"
            onClick={() => placeCursor(offset)}
          >
            {placeText(checked, offset)}
          </button>
          <span className="min-w-0">
            <ProseText text={message} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function placeText(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `Line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
