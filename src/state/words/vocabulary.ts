/**
 * The words that people use for how far a plan or one of its phases is. To teach holdfast a word or a language, add it to
 * a line or add a line: what it means, the language, the words. Case, hyphens and underscores do not matter, and a phrase
 * has at most four words. A word may stand in several lines; one that stands in none is not understood, and nothing is
 * ever concluded from it.
 */

/** How far a phase is, by the words and marks that people put beside its name. */
export type Mark =
  | 'done'
  | 'under way'
  | 'blocked'
  | 'paused'
  | 'open'
  | 'skipped';

export type Meaning =
  | Mark
  /** Open, but maybe begun: `not done`. */
  | 'not done'
  /** Of a phase as `skipped`; a whole plan is cancelled by these words alone. */
  | 'cancelled'
  /** Skipped if a later version or phase follows. */
  | 'put off'
  /** A word for open only if nothing follows it: `Next`. */
  | 'open alone'
  /** In the status of a plan only, beside what the words mean elsewhere. */
  | 'plan paused'
  | 'plan open'
  | 'plan cancelled'
  /** Anywhere in the status of a plan: somebody works on it. */
  | 'ongoing'
  /** A stage of work; as the whole status of a plan it says under way. */
  | 'stage'
  /** What a plan is made of. With a number it names one part. */
  | 'part'
  /** What the plan itself may be called in its status: `Implementation complete`. */
  | 'plan'
  /** Every part: `All 5 phases`. */
  | 'all'
  /** Says nothing by itself: `is`, `now`, `fully`. */
  | 'filler'
  /** Takes back a word for done: `Complete except for the docs`. */
  | 'left over'
  /** In a remark behind done in the status of a plan: it may be about what is left. */
  | 'doubt'
  /** Means something only with the next word: `ready for review`. */
  | 'with object'
  /** Turns the next word into its opposite. */
  | 'negation'
  /** The rest of the clause is about something else, or about former times: `(was in progress)`. */
  | 'past'
  /** Begins a remark that takes nothing back: `verified by Bob`. */
  | 'remark'
  /** What something was finished in, at or with: `in PR #12`, `on main`. */
  | 'place'
  | 'day'
  /** With `by`, a day is a deadline. */
  | 'deadline'
  /** May follow a mark: `Paused until Friday`. */
  | 'preposition'
  /** Looks like a word for work that is being done, and is none. */
  | 'unclear';

type Language =
  | 'en'
  | 'de'
  | 'es'
  | 'fr'
  | 'it'
  | 'ja'
  | 'ko'
  | 'pt'
  | 'ru'
  | 'zh';

export const WORDS: readonly [Meaning, Language, string][] = [
  [
    'done',
    'en',
    'complete, completed, done, finished, closed, implemented, shipped, released, merged, deployed, delivered',
  ],
  ['done', 'en', 'archived, resolved, landed'],
  ['done', 'de', 'fertig, erledigt, abgeschlossen, vollständig, umgesetzt'],
  [
    'done',
    'es',
    'completo, completa, completado, completada, terminado, terminada, hecho, finalizado, finalizada',
  ],
  [
    'done',
    'fr',
    'terminé, terminée, achevé, achevée, fini, finie, fait, livré, livrée',
  ],
  ['done', 'it', 'completato, completata, finito, finita, fatto, terminato'],
  ['done', 'ja', '完了, 完了済み, 完了済, 済み, 実装済み, 終了'],
  ['done', 'ko', '완료, 완료됨, 끝'],
  [
    'done',
    'pt',
    'concluído, concluída, concluido, concluida, feito, feita, finalizado',
  ],
  [
    'done',
    'ru',
    'готово, завершено, завершён, завершен, завершена, выполнено, сделано',
  ],
  [
    'done',
    'zh',
    '完成, 已完成, 全部完成, 完毕, 已实现, 已结束, 结束, 已交付, 已发布, 已完毕, 完成了',
  ],

  [
    'under way',
    'en',
    'in progress, wip, work in progress, ongoing, under way, underway, started, begun, active, current, doing',
  ],
  [
    'under way',
    'en',
    'resumed, reopened, re opened, restarted, re started, here, we are here, you are here',
  ],
  [
    'under way',
    'en',
    'current phase, current focus, in review, in development, in dev, in testing, in test, in tests',
  ],
  [
    'under way',
    'en',
    'in qa, in work, in flight, in execution, in implementation, in verification, in staging',
  ],
  [
    'under way',
    'en',
    'partial, partially, partly, mostly, almost, nearly, ready for, ready to',
  ],
  [
    'under way',
    'de',
    'in arbeit, in bearbeitung, läuft, begonnen, angefangen, aktiv, laufend',
  ],
  [
    'under way',
    'es',
    'en progreso, en curso, en proceso, en marcha, iniciado, iniciada',
  ],
  ['under way', 'fr', 'en cours, commencé, commencée'],
  ['under way', 'it', 'in corso, in lavorazione, iniziato, iniziata'],
  ['under way', 'ja', '進行中, 作業中, 実装中, 対応中, 着手, 着手中, 実施中'],
  ['under way', 'ko', '진행 중, 진행중, 작업 중'],
  ['under way', 'pt', 'em andamento, em progresso, em curso, iniciado'],
  ['under way', 'ru', 'в работе, в процессе, выполняется, начато'],
  [
    'under way',
    'zh',
    '进行中, 進行中, 正在进行, 进行, 处理中, 开发中, 实施中, 执行中, 正在执行, 已开始, 当前, 部分完成',
  ],

  ['blocked', 'en', 'blocked, stuck'],
  ['blocked', 'de', 'blockiert'],
  ['blocked', 'es', 'bloqueado, bloqueada'],
  ['blocked', 'fr', 'bloqué, bloquée'],
  ['blocked', 'pt', 'bloqueado, bloqueada'],
  ['blocked', 'ru', 'заблокировано, заблокирован'],
  ['blocked', 'ja', 'ブロック中, ブロック'],
  ['blocked', 'zh', '阻塞, 已阻塞, 受阻, 被阻塞, 卡住'],

  ['paused', 'en', 'paused, on hold, waiting, suspended'],
  ['paused', 'de', 'pausiert, wartet, zurückgestellt'],
  ['paused', 'es', 'en pausa, pausado, pausada'],
  ['paused', 'fr', 'en pause, en attente, suspendu'],
  ['paused', 'pt', 'em pausa, pausado, pausada'],
  ['paused', 'ru', 'на паузе, приостановлено'],
  ['paused', 'ja', '保留, 保留中, 一時停止, 中断'],
  ['paused', 'zh', '暂停, 已暂停, 暫停, 挂起, 搁置, 等待, 等待中'],

  [
    'open',
    'en',
    'not started, not yet started, not started yet, not begun, not yet begun, pending, to do, todo, planned, upcoming',
  ],
  [
    'open',
    'en',
    'queued, scheduled, future, backlog, ready, remaining, ready to start, ready to begin, ready to go',
  ],
  [
    'open',
    'en',
    'ready to implement, ready for implementation, ready for development, ready for dev, ready for start',
  ],
  [
    'open',
    'de',
    'offen, geplant, ausstehend, nicht begonnen, nicht gestartet, noch offen, noch nicht begonnen',
  ],
  [
    'open',
    'es',
    'pendiente, no iniciado, no iniciada, sin empezar, planificado, por hacer',
  ],
  [
    'open',
    'fr',
    'à faire, pas commencé, non commencé, prévu, prévue, planifié',
  ],
  ['open', 'it', 'da fare, in attesa, non iniziato, pianificato'],
  ['open', 'ja', '未着手, 未開始, 予定, 未対応, 未実装'],
  ['open', 'ko', '대기, 예정, 미시작, 시작 전'],
  [
    'open',
    'pt',
    'pendente, não iniciado, não iniciada, a fazer, planejado, planejada',
  ],
  ['open', 'ru', 'не начато, запланировано, ожидает, к выполнению'],
  [
    'open',
    'zh',
    '未开始, 未開始, 待开始, 待办, 待处理, 待完成, 待定, 计划中, 尚未开始, 未启动, 待启动, 未进行, 待进行, 待执行, 待实施',
  ],
  ['open alone', 'en', 'next, next up, later'],
  [
    'not done',
    'en',
    'not done, not yet done, not complete, not completed, not yet complete, not yet completed, not finished',
  ],
  ['not done', 'en', 'not yet finished, incomplete'],
  ['not done', 'de', 'nicht fertig, unvollständig'],
  ['not done', 'zh', '未完成, 尚未完成, 没有完成'],
  ['not done', 'ja', '未完了'],

  [
    'cancelled',
    'en',
    "cancelled, canceled, abandoned, superseded, obsolete, dropped, won't do, won't fix, wont do, wont fix",
  ],
  ['cancelled', 'de', 'abgebrochen, verworfen, storniert'],
  ['cancelled', 'es', 'cancelado, cancelada, descartado'],
  ['cancelled', 'fr', 'annulé, annulée, abandonné'],
  ['cancelled', 'pt', 'cancelado, cancelada'],
  ['cancelled', 'ru', 'отменено, отменён, отменен'],
  ['cancelled', 'ja', 'キャンセル, 中止'],
  ['cancelled', 'zh', '取消, 已取消, 放弃, 已放弃, 废弃, 已废弃'],
  [
    'skipped',
    'en',
    'skip, skipped, deferred, postponed, n/a, not needed, not applicable, not required, no longer needed',
  ],
  [
    'skipped',
    'en',
    'removed, out of scope, merged into phase, merged into phases, merged with phase, merged into step',
  ],
  [
    'skipped',
    'en',
    'merged into task, merged into milestone, merged into stage, merged with step, merged with task',
  ],
  [
    'put off',
    'en',
    'deferred to, postponed to, deferred until, postponed until',
  ],
  ['skipped', 'de', 'übersprungen, verschoben, entfällt'],
  ['skipped', 'es', 'omitido, omitida, aplazado'],
  ['skipped', 'fr', 'ignoré, reporté, reportée'],
  ['skipped', 'ja', 'スキップ, 延期, 不要'],
  ['skipped', 'zh', '跳过, 已跳过, 延期, 推迟, 不需要'],

  [
    'plan paused',
    'en',
    'pause, hold, holding, awaiting, parked, shelved, postponed, deferred, stalled, stopped, interrupted',
  ],
  [
    'plan open',
    'en',
    'not in progress, not active, not yet active, to be started, to be done, inactive, draft, proposed, proposal',
  ],
  ['plan open', 'en', 'new, idea'],
  ['plan open', 'de', 'entwurf, vorschlag'],
  ['plan open', 'zh', '草稿, 草案'],
  [
    'plan cancelled',
    'en',
    'deprecated, rejected, withdrawn, discarded, scrapped, replaced, wontfix',
  ],

  ['with object', 'en', 'ready for, ready to'],
  [
    'ongoing',
    'en',
    'actively, currently, continues, continuing, continued, half, halfway, half way, unfinished, incomplete',
  ],
  [
    'ongoing',
    'en',
    'implementing, building, fixing, reworking, progress, progressing, progressed, needs, need, remaining',
  ],
  ['ongoing', 'en', 'iterating, review, reviewing'],
  ['stage', 'en', 'design, implementation, development, testing, qa, build'],
  [
    'unclear',
    'en',
    'missing, nothing, planning, during, existing, according, outstanding',
  ],

  [
    'part',
    'en',
    'phase, phases, step, steps, task, tasks, item, items, milestone, milestones, stage, stages, plan, plans',
  ],
  ['part', 'en', 'wave, waves, sprint, sprints'],
  [
    'part',
    'de',
    'phasen, schritt, schritte, aufgabe, aufgaben, meilenstein, meilensteine',
  ],
  ['part', 'zh', '阶段, 步骤, 任务, 里程碑'],
  ['part', 'ja', 'フェーズ, ステップ, タスク'],
  [
    'plan',
    'en',
    'plan, project, implementation, work, the plan, the project, the implementation, the work',
  ],
  [
    'all',
    'en',
    'everything, all, every, both, all of, every one of, both of, all of the, both of the, all the',
  ],
  ['all', 'de', 'alle, alles, sämtliche'],
  ['all', 'zh', '所有, 全部'],
  [
    'filler',
    'en',
    'is, are, has been, have been, was, now, fully, successfully, still, already, currently, status, temporarily',
  ],
  ['filler', 'de', 'ist, sind, jetzt, bereits'],

  [
    'left over',
    'en',
    'except, but, pending, to do, todo, remain, remains, remained, remaining, needs, need, in progress, wip',
  ],
  [
    'left over',
    'en',
    'partial, partially, missing, await, awaits, awaiting, waiting, not, until, still, with concerns',
  ],
  [
    'doubt',
    'en',
    'excluding, left, next, only, follow, open, failing, failed, now, part, staging, beta',
  ],
  ['left over', 'de', 'außer, aber, noch, nicht, bis'],
  ['left over', 'zh', '除, 但, 待, 尚未'],
  ['negation', 'en', 'not, not yet, no longer, never, to be'],
  ['past', 'en', 'was, previously, formerly, no open, no further, nothing'],

  [
    'remark',
    'en',
    'via, since, as of, with all, see, moved, all, verified, tested, reviewed, approved, documented, no',
  ],
  [
    'place',
    'en',
    'pr, mr, commit, version, release, main, master, trunk, dev, develop, development, prod, production',
  ],
  ['place', 'en', 'full, spec, last'],
  [
    'day',
    'en',
    'jan, january, feb, february, mar, march, apr, april, may, jun, june, jul, july, aug, august, sep, sept',
  ],
  [
    'day',
    'en',
    'september, oct, october, nov, november, dec, december, today, yesterday',
  ],
  [
    'day',
    'en',
    'mon, monday, tue, tuesday, wed, wednesday, thu, thursday, fri, friday, sat, saturday, sun, sunday',
  ],
  ['deadline', 'en', 'end, the end, eod, eow, eom, eoy, tomorrow'],
  [
    'preposition',
    'en',
    'to, until, till, on, at, in, into, by, for, since, after, as, with, via, because, due, see',
  ],
  ['preposition', 'de', 'am, bis, seit, wegen, mit, für'],
];

/** Pictures and boxes, and the mark that each one means. Of several in a text the first line counts. */
export const SIGNS: readonly [Mark, string][] = [
  ['done', '✅ ☑ ✔ ✓ [x] [X] [✓] [✔]'],
  ['under way', '🔄 ⏳ ⌛ 🚧 👉 👈 ▶ ► ← ⬅ <- [-] [~] [/]'],
  ['skipped', '⏭'],
  ['blocked', '⛔ 🛑'],
  ['paused', '⏸'],
  ['open', '⬜ ☐ ⚪ 🔲 [ ]'],
];

/** What a phase is called. The first word that a plan uses for at least two of them counts. */
export const PHASE_WORDS: Readonly<
  Record<Unit, readonly [Language, string][]>
> = {
  phase: [
    ['en', 'phase, phases'],
    ['de', 'phasen'],
    ['es', 'fase, fases'],
    ['ja', 'フェーズ'],
    ['ko', '단계'],
    ['ru', 'этап, фаза'],
    ['zh', '阶段, 階段'],
  ],
  stage: [
    ['en', 'stage'],
    ['fr', 'étape'],
    ['es', 'etapa'],
  ],
  milestone: [
    ['en', 'milestone'],
    ['de', 'meilenstein'],
    ['zh', '里程碑'],
  ],
  task: [
    ['en', 'task'],
    ['de', 'aufgabe'],
    ['zh', '任务'],
  ],
  step: [
    ['en', 'step'],
    ['de', 'schritt'],
    ['es', 'paso'],
    ['ja', 'ステップ'],
    ['zh', '步骤'],
  ],
};

export type Unit = 'phase' | 'stage' | 'milestone' | 'task' | 'step';

/** Numbers that are written as words; the place in the line is the number. */
export const NUMBER_WORDS: readonly [Language, string][] = [
  ['en', 'zero one two three four five six seven eight nine ten eleven twelve'],
  ['zh', '零 一 二 三 四 五 六 七 八 九 十 十一 十二'],
];

/** The fields of a heading or an item that say how far it is. */
export const STATUS_LABELS: readonly [Language, string][] = [
  ['en', 'status, state'],
  ['de', 'stand, zustand'],
  ['es', 'estado'],
  ['fr', 'statut, état'],
  ['ja', '状態, ステータス'],
  ['zh', '状态, 狀態'],
];
