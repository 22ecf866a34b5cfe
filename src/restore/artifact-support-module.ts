export { artifactsForSession, artifactsLost, artifactsReadFrom } from '../artifacts/for-session.ts';
