import { z } from 'zod';
import { defineOperator, input, lazy, literal, manyInput, optionalInput, output, WeftError } from '#engine';

/** What a file needs to define an operator. A file that default-exports a function receives it. */
export const kit = { defineOperator, input, output, optionalInput, manyInput, lazy, literal, WeftError, z };
