/**
 * An agent's name as the panel shows it: its own, but for the built-in one, whose name is a word of ours. Pure.
 */
import { t } from "../../shared/i18n.js";

const BUILT_IN = "builtin";

/** @param {string} name  as the wire knows it @param {string} label */
export const agentLabel = (name, label) => (name === BUILT_IN ? t("choice_builtin") : label);
