import type { Problem } from '#shared/problem.ts';
import type { DraggedPath } from '../ui/path-drag.ts';
import type { ScopeSource } from './form-model.ts';

/** A place in code, its lines and columns counted from 1, and what went wrong there. */
export interface CodeFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The props of `CodeEditor`, and of CodeMirror, which it loads. */
export interface CodeEditorProps {
  readonly value: string;
  onChange(value: string): void;
  /** Name for screen readers; the visible label is above. */
  readonly label: string;
  readonly language: 'template' | 'json' | 'code' | 'python' | 'sql';
  readonly multiline: boolean;
  /** It takes the height of what is around it. */
  readonly fills?: boolean;
  /** Offset at which the cursor stands at first; with it the editor takes the focus. */
  readonly cursor?: number;
  readonly placeholder?: string | undefined;
  /** The names that expressions can read; without it `{{ }}` is plain text. */
  readonly scope?: ScopeSource | undefined;
  /** The value that code reads as `input`. */
  readonly reads?: ScopeSource | undefined;
  /** Where the last run of this code failed. */
  readonly fault?: CodeFault | undefined;
  /** Problems with an offset are underlined. */
  readonly problems?: readonly Problem[] | undefined;
  readonly describedBy?: string | undefined;
  readonly invalid?: boolean | undefined;
  readonly readOnly?: boolean | undefined;
  onFocusChange?(focused: boolean): void;
  /** A value was dropped at this offset of the text; `isInside`: within an expression. */
  readonly onDropPath?: ((dragged: DraggedPath, at: number, isInside: boolean) => void) | undefined;
}

/** The box around a code editor, like that of a text field. */
export const codeBox =
  'min-h-7 w-full min-w-0 rounded-md border border-line-strong/60 bg-surface hover:border-line-strong ' +
  'focus-within:border-accent focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent';
