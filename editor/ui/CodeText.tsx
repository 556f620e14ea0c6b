import { json } from '@codemirror/lang-json';
import { codeFolding, foldGutter, foldKeymap } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { mountStyles } from './code-styles.ts';

interface CodeTextProps {
  text: string;
  label: string;
  language: 'json' | 'text';
}

/** A long read-only text: only the visible lines are rendered; Mod+F searches. Loaded on demand. */
export default function CodeText({ text, label, language }: CodeTextProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    mountStyles();
    const view = new EditorView({ parent: host.current, state: stateOf(text, label, language) });
    return () => view.destroy();
  }, [text, label, language]);
  return <div ref={host} className="min-h-24 overflow-hidden rounded-md border border-line bg-surface" />;
}

function stateOf(doc: string, label: string, language: CodeTextProps['language']): EditorState {
  return EditorState.create({
    doc,
    extensions: [
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
      lineNumbers(),
      search({ top: true }),
      highlightSelectionMatches(),
      keymap.of([...searchKeymap, ...foldKeymap]),
      language === 'json' ? [json(), codeFolding(), foldGutter()] : EditorView.lineWrapping,
      look,
    ],
  });
}

const look = EditorView.theme({
  '&': { maxHeight: '20rem', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '12px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': {
    overflow: 'auto',
    fontFamily: 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  },
  '.cm-gutters': { backgroundColor: 'var(--surface-2)', color: 'var(--text-2)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-panels': { backgroundColor: 'var(--surface-2)', color: 'var(--text)' },
  '.cm-textfield, .cm-button': {
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--surface-3)',
    color: 'var(--text-2)',
    border: 'none',
  },
});
