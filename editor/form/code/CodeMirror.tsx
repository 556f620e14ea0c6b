import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useRef } from 'react';
import { openHole } from '../../model/expression/expression-completion.ts';
import { droppedPath } from '../../ui/path-drag.ts';
import { mountStyles } from '../../ui/code-styles.ts';
import { cx } from '../../ui/cx.ts';
import { codeBox, type CodeEditorProps } from '../code-editor-props.ts';
import { forgetEditor, rememberEditor } from '../last-editor.ts';
import { recheck } from './diagnostics.ts';
import { editorExtensions } from './extensions.ts';

/** CodeMirror as a controlled field. `CodeEditor` loads its chunk. */
export default function CodeMirror(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const attributes = useRef(new Compartment());
  const latest = useRef(props);
  const { value, label, describedBy, invalid, problems, fault, multiline, readOnly } = props;
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (!host.current) return;
    const created = createView(host.current, latest, attributes.current);
    view.current = created;
    return () => {
      forgetEditor(created);
      created.destroy();
    };
  }, []);

  useEffect(() => {
    if (view.current) replaceText(view.current, value);
  }, [value]);

  useEffect(() => {
    const next = contentAttributes({ label, describedBy, invalid, multiline, readOnly });
    view.current?.dispatch({ effects: attributes.current.reconfigure(next) });
  }, [label, describedBy, invalid, multiline, readOnly]);

  useEffect(() => {
    if (view.current) recheck(view.current);
  }, [problems, fault]);

  return (
    <div
      ref={host}
      data-code-host
      className={cx(
        codeBox,
        'overflow-hidden',
        invalid && 'border-bad',
        multiline && !props.fills && 'is-multiline',
        props.fills && 'is-filling h-full',
      )}
    />
  );
}

function createView(
  parent: HTMLElement,
  props: RefObject<CodeEditorProps>,
  attributes: Compartment,
): EditorView {
  mountStyles();
  const listener = EditorView.updateListener.of(({ transactions, state, focusChanged, view }) => {
    const typed = transactions.some((tr) => tr.docChanged && !tr.annotation(Transaction.remote));
    if (typed) props.current.onChange(state.doc.toString());
    if (!focusChanged) return;
    if (view.hasFocus && props.current.scope) rememberEditor(view);
    if (view.hasFocus && props.current.language === 'sql') rememberEditor(view, 'sql');
    props.current.onFocusChange?.(view.hasFocus);
  });
  const extensions = [
    attributes.of(contentAttributes(props.current)),
    ...editorExtensions(() => props.current),
    listener,
    drops(props),
  ];
  const { value: doc, language, cursor } = props.current;
  const isSql = language === 'sql';
  // Names of tables and columns go to the end of a statement until somebody places the cursor.
  const selection = { anchor: cursor ?? (isSql ? EditorState.create({ doc }).doc.length : 0) };
  const view = new EditorView({ parent, state: EditorState.create({ doc, selection, extensions }) });
  if (isSql) rememberEditor(view, 'sql');
  if (cursor !== undefined) view.focus();
  return view;
}

/** A value that is dropped into the text gets where it was dropped. */
function drops(props: RefObject<CodeEditorProps>): Extension {
  return EditorView.domEventHandlers({
    drop: (event, view) => {
      const dragged = droppedPath(event);
      const { onDropPath } = props.current;
      if (!dragged || !onDropPath || view.state.readOnly) return false;
      event.preventDefault();
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length;
      onDropPath(dragged, at, openHole(view.state.doc.toString(), at) !== undefined);
      return true;
    },
  });
}

/** From outside (undo, a fix, another field): must neither be reported as typing nor be undone here. */
function replaceText(view: EditorView, value: string): void {
  if (view.state.doc.toString() === value) return;
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: value },
    annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)],
  });
}

type Attributes = Pick<CodeEditorProps, 'label' | 'describedBy' | 'invalid' | 'multiline' | 'readOnly'>;

function contentAttributes({ label, describedBy, invalid, multiline, readOnly }: Attributes): Extension {
  const attributes = EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-multiline': String(multiline),
    ...(describedBy && { 'aria-describedby': describedBy }),
    ...(invalid && { 'aria-invalid': 'true' }),
    ...(readOnly && { 'aria-readonly': 'true' }),
  });
  return [attributes, EditorState.readOnly.of(readOnly ?? false)];
}
