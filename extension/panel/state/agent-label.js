/**
 * The display name of an agent: its own, except for the built-in agent, whose name is translated. Pure.
 */
import { t } from "../../shared/i18n.js";

const BUILT_IN = "builtin";

/** @param {string} name  its name on the wire @param {string} label */
export const agentLabel = (name, label) => (name === BUILT_IN ? t("choice_builtin") : label);
