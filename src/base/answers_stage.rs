//! The test of the rule of `answers` for one kind of file. The crates that read such files include it.

use gstack_base::answers::Answers;
use gstack_base::home::Home;
use std::fs;
use std::path::{Path, PathBuf};

/// A home of gstack's, and a repository of a stranger's.
pub(crate) struct Stage {
    _folder: tempfile::TempDir,
    pub(crate) home: Home,
    pub(crate) project: PathBuf,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let home = Home::at(root.join("g")).unwrap();
        let project = root.join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::create_dir_all(project.join(".gstack")).unwrap();
        Self { _folder: folder, home, project }
    }

    /// Checks the rule for one file of a project. `find` returns the answer to what is there now, and fails if it cannot
    /// tell; `answer` records one.
    pub(crate) fn answers_hold_for_one_file_with_one_content(
        &self,
        file: &Path,
        (content, other): (&str, &str),
        answers: &Answers,
        find: impl Fn(&Path) -> Result<Option<bool>, String>,
        answer: impl Fn(&Path),
    ) {
        let write = |file: &Path, text: &str| {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let place = self.project.join(file);
        write(&place, content);
        assert_eq!(find(&place), Ok(None));
        answer(&place);
        assert_eq!(find(&place), Ok(Some(true)));
        write(&place, other);
        assert_eq!(find(&place), Ok(None), "it was changed");
        write(&place, content);
        assert_eq!(find(&place), Ok(Some(true)), "it is what was allowed");
        // The same content in a copy of the project is another file.
        let copy = self.project.parent().unwrap().join("copy").join(file);
        write(&copy, content);
        assert_eq!(find(&copy), Ok(None));
        answer(&copy);
        assert_eq!((find(&place), find(&copy)), (Ok(Some(true)), Ok(Some(true))));
        assert_eq!((answers.forget(&copy).unwrap(), answers.forget(&copy).unwrap()), (true, false));
        assert_eq!((find(&place), find(&copy)), (Ok(Some(true)), Ok(None)));
        let kept = fs::read(answers.stored()).unwrap();
        fs::write(answers.stored(), "{half").unwrap();
        assert!(find(&place).is_err(), "answers that can't be read allow nothing");
        fs::write(answers.stored(), kept).unwrap();
    }
}
