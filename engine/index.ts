export { defineOperator } from './operator.ts';
