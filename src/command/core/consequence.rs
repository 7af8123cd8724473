//! Button names that announce a consequence: pay, order, send, delete.
//!
//! Owns the words, in the panel's languages. A page may use another language: the markup (a form is submitted) counts
//! as well.

/// Whole words, in lower case, of languages that separate words with spaces.
const WORDS: [&str; 84] = [
    // English
    "pay",
    "buy",
    "purchase",
    "order",
    "checkout",
    "subscribe",
    "donate",
    "transfer",
    "withdraw",
    "send",
    "submit",
    "post",
    "publish",
    "delete",
    "remove",
    "erase",
    "revoke",
    "deactivate",
    "unsubscribe",
    "confirm",
    "approve",
    "book",
    "sign",
    // German
    "zahlen",
    "bezahlen",
    "kaufen",
    "bestellen",
    "kostenpflichtig",
    "überweisen",
    "spenden",
    "abonnieren",
    "senden",
    "absenden",
    "abschicken",
    "veröffentlichen",
    "löschen",
    "entfernen",
    "kündigen",
    "bestätigen",
    "buchen",
    // French
    "payer",
    "acheter",
    "commander",
    "virer",
    "envoyer",
    "publier",
    "supprimer",
    "effacer",
    "confirmer",
    "valider",
    "réserver",
    "résilier",
    // Spanish
    "pagar",
    "comprar",
    "pedir",
    "transferir",
    "enviar",
    "publicar",
    "eliminar",
    "borrar",
    "confirmar",
    "reservar",
    // Arabic
    "ادفع",
    "دفع",
    "الدفع",
    "اشتر",
    "اشتري",
    "شراء",
    "الشراء",
    "اطلب",
    "إرسال",
    "ارسال",
    "أرسل",
    "نشر",
    "انشر",
    "حذف",
    "احذف",
    "إزالة",
    "تأكيد",
    "أكد",
    "تحويل",
    "حجز",
    "احجز",
    "اشترك",
];
/// Substrings, for languages that do not separate words with spaces.
const PARTS: [&str; 20] = [
    // Japanese
    "支払", "購入", "注文", "送信", "削除", "投稿", "確定", "予約", "振込", "解約", // Chinese
    "支付", "付款", "购买", "下单", "提交", "发送", "删除", "发布", "确认", "转账",
];

/// Whether a name announces something that cannot be undone.
pub fn is_told_by(name: &str) -> bool {
    let name = name.to_lowercase();
    PARTS.iter().any(|part| name.contains(part))
        || name.split(|letter: char| !letter.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::is_told_by;

    #[test]
    fn names_of_seven_languages_are_told_from_harmless_ones() {
        for name in [
            "Pay 500 EUR",
            "Place order",
            "DELETE",
            "Jetzt kaufen",
            "Konto löschen",
            "Envoyer",
            "Eliminar",
            "注文を確定する",
            "提交订单",
            "ادفع ٥٠٠",
            "إتمام الشراء",
            "حذف الحساب",
        ] {
            assert!(is_told_by(name), "{name}");
        }
        for name in
            ["Cancel", "Next", "Orderly", "Abbrechen", "Payload", "Annuler", "戻る", "取消", "إلغاء", "التالي", ""]
        {
            assert!(!is_told_by(name), "{name}");
        }
    }
}
