export { version } from '../util/version.ts';
